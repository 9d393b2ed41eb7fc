/** The metrics of an answer of `/metrics`. */
export interface ShownMetric {
  readonly name: string;
  readonly type: string;
  /** Names of the labels of its samples, without `le`; empty if it has no sample. */
  readonly labels: ReadonlySet<string>;
  /** The values of its samples by their text, such as `name{label="value"}`. */
  readonly samples: ReadonlyMap<string, number>;
}

/** Parses Prometheus' text format. */
export function parseMetrics(text: string): ReadonlyMap<string, ShownMetric> {
  const metrics = new Map<string, ShownMetric & { labels: Set<string>; samples: Map<string, number> }>();
  let last: ReturnType<typeof metrics.get>;
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined && type !== undefined) {
      last = { name, type, labels: new Set(), samples: new Map() };
      metrics.set(name, last);
    }
    const [, sample, labels = '', value] = /^([a-z]\w*(?:\{(.*)\})?) (\S+)$/i.exec(line) ?? [];
    if (sample === undefined || last === undefined) continue;
    last.samples.set(sample, Number(value));
    for (const [, label] of labels.matchAll(/(\w+)="/g)) if (label !== 'le') last.labels.add(label!);
  }
  return metrics;
}
