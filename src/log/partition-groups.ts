/**
 * The partitions of a log in groups. Instances divide the groups among themselves. Every instance comes to the same
 * groups, and a partition stays in its group: partition p is in group p modulo the number of groups.
 */

/** Each group costs one row that is renewed once a second, and more instances than groups have nothing to do. */
const MOST_GROUPS = 24;

/** The work of an instance: a version of a read model, or a process (version 1). */
export interface WorkOnPartitions {
  readonly projection: string;
  readonly version: number;
  /** How many of the log's partitions. */
  readonly partitions: number;
}

export function countGroups(partitions: number): number {
  return Math.min(partitions, MOST_GROUPS);
}

export function partitionsOfGroups(groups: ReadonlySet<number>, partitions: number): Set<number> {
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  return new Set(all.filter((partition) => groups.has(partition % countGroups(partitions))));
}
