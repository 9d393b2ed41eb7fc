import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

/** A rule of ops/alerts.yml. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly severity: string | undefined;
  readonly runbookUrl: string | undefined;
}

export function readAlerts(): Alert[] {
  const [, ...rules] = readFileSync(join(ROOT, 'ops/alerts.yml'), 'utf8').split('- alert: ');
  return rules.map((rule) => ({
    name: /^\w+/.exec(rule)![0],
    expr: /expr: (?:\|\n)?([\s\S]*?)\n {8}\w/.exec(rule)![1]!,
    severity: /severity: (\w+)/.exec(rule)?.[1],
    runbookUrl: /runbook_url: (\S+)/.exec(rule)?.[1],
  }));
}

/** The expressions of ops/grafana.json. */
export function dashboardExpressions(): string[] {
  const { panels } = JSON.parse(readFileSync(join(ROOT, 'ops/grafana.json'), 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** The metrics that an expression names, with the labels that it compares. */
export function selectorsOf(expr: string): { readonly metric: string; readonly labels: readonly string[] }[] {
  return [...expr.matchAll(/\b((?:botledger|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, metric, matchers = '']) => ({
      metric: metric!,
      labels: [...matchers.matchAll(/(\w+) *[=!]/g)].map(([, l]) => l!),
    }),
  );
}
