/** A value of a feed is none that a product has: the message is for whoever sent it. */
export class UnfitValue extends Error {
  override readonly name = "UnfitValue";
}
