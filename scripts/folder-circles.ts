/**
 * Folders that import each other. dependency-cruiser's own folder scope counts a folder's
 * children as the folder; here a folder is the files that stand in it, nothing deeper.
 */
import { dirname } from "node:path/posix";

export interface Import {
  from: string;
  to: string;
}

export interface FolderCircle {
  folders: string[];
  /** The imports that close it: of each pair of folders that import each other, or else all. */
  imports: Import[];
}

export function folderCircles(imports: Import[]): FolderCircle[] {
  const crossing = imports.filter(({ from, to }) => dirname(from) !== dirname(to));
  const targets = Map.groupBy(crossing, ({ from }) => dirname(from));
  const reached = new Map(
    [...targets.keys()].map((folder) => [folder, reachedFrom(folder, targets)]),
  );
  const reaches = (from: string, to: string) => reached.get(from)?.has(to) ?? false;

  const circles: FolderCircle[] = [];
  const seen = new Set<string>();
  for (const folder of [...reached.keys()].sort()) {
    if (seen.has(folder) || !reaches(folder, folder)) continue;
    const folders = [...reached.keys()]
      .filter((other) => reaches(folder, other) && reaches(other, folder))
      .sort();
    for (const member of folders) seen.add(member);
    circles.push({ folders, imports: closingImports(folders, crossing) });
  }
  return circles;
}

function reachedFrom(start: string, targets: Map<string, Import[]>): Set<string> {
  const reached = new Set<string>();
  const waiting = [start];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { to } of targets.get(folder) ?? []) {
      if (reached.has(dirname(to))) continue;
      reached.add(dirname(to));
      waiting.push(dirname(to));
    }
  }
  return reached;
}

function closingImports(folders: string[], crossing: Import[]): Import[] {
  const inside = crossing.filter(
    ({ from, to }) => folders.includes(dirname(from)) && folders.includes(dirname(to)),
  );
  const mutual = inside.filter((one) =>
    inside.some(
      (other) => dirname(other.from) === dirname(one.to) && dirname(other.to) === dirname(one.from),
    ),
  );
  return mutual.length > 0 ? mutual : inside;
}
