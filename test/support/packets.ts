import {
  type CountableHits,
  HitPacker,
  type HitPacket,
} from "../../src/visitor/clicks/hit-packet.ts";

/** Hits as an isolate packs them when it sends them. */
export function packHits(
  hits: Iterable<CountableHits>,
  newPacketId: () => string = () => crypto.randomUUID(),
): HitPacket[] {
  const packer = new HitPacker(newPacketId);
  for (const counted of hits) packer.add(counted);
  return packer.finish();
}
