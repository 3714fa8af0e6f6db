/** Alerts and queries as promtool judges them, with series as the programs export them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { promtool } from '@kruise/testing';
import { alerts, ruleGroups, runbookPage } from './alerts.ts';
import { type Drill, drills, workloadSeries } from './drills.testing.ts';
import { dashboards } from './generator.ts';
import { fleetKinds } from './stuck.ts';

const folder = mkdtempSync(join(tmpdir(), 'kruise-alerts-'));
const rules = join(folder, 'alerts.json');

beforeAll(() => writeFileSync(rules, JSON.stringify(ruleGroups())));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs one test of promtool. JSON is YAML. */
function testRules(name: string, series: Readonly<Record<string, string>>, expectations: readonly object[]): Promise<string> {
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.json`);
  const input_series = Object.entries(series).map(([one, values]) => ({ series: one, values }));
  const tests = [{ interval: '1m', input_series, alert_rule_test: expectations }];
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
  return promtool(['test', 'rules', file]);
}

/** Asks promtool for one number after 15 min. */
function testQuery(expr: string, series: Readonly<Record<string, string>>, value: number): Promise<string> {
  const file = join(folder, 'query.json');
  const input_series = Object.entries(series).map(([one, values]) => ({ series: one, values }));
  const promql_expr_test = [{ expr, eval_time: '15m', exp_samples: [{ labels: '{}', value }] }];
  writeFileSync(
    file,
    JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [{ interval: '1m', input_series, promql_expr_test }] }),
  );
  return promtool(['test', 'rules', file]);
}

const at = (minute: number, alertname: string, exp_alerts: readonly object[] = []): object => ({
  eval_time: `${minute}m`,
  alertname,
  exp_alerts,
});

function firing({ alert, labels, summary }: Drill): object {
  const { severity, description } = alerts.find((one) => one.alert === alert)!;
  return {
    exp_labels: { severity, ...labels },
    exp_annotations: { summary, description, runbook_url: `${runbookPage}#${alert.toLowerCase()}` },
  };
}

describe('an alert', () => {
  it.each(drills)('$alert fires after its time and clears: $name', async (drill) => {
    const { alert, quiet, fires, cleared, series } = drill;
    const expectations = [at(quiet, alert), at(fires, alert, [firing(drill)]), at(cleared, alert)];
    expect(await testRules(`${alert} ${drill.name}`, series, expectations)).toContain('SUCCESS');
  });

  it('is drilled, whichever it is', () => {
    const named = (alert: string, kind = ''): string => `${alert} ${kind}`;
    const drilled = new Set(drills.map(({ alert, labels }) => named(alert, labels['kind'])));
    expect([...drilled].toSorted()).toEqual(alerts.map(({ alert, labels }) => named(alert, labels?.['kind'])).toSorted());
  });

  it.each(
    fleetKinds.flatMap((kind) => [
      { kind, name: 'is paused', metrics: { spec_strategy_paused: '1+0x120' } },
      { kind, name: 'has a partition', metrics: { 'spec_strategy_partition{partition="40%"}': '0+0x120' } },
      ...(kind.hasOnDelete
        ? [{ kind, name: 'is of type OnDelete', metrics: { 'spec_strategy_type{strategy_type="OnDelete"}': '0+0x120' } }]
        : []),
    ]),
  )('KruiseWorkloadStuck does not fire for a $kind.kind whose update $name', async ({ kind, name, metrics }) => {
    const series = workloadSeries(kind, { [kind.ready]: '5+0x120', [kind.updated]: '3+0x120', ...metrics });
    expect(await testRules(`quiet ${kind.kind} ${name}`, series, [at(100, 'KruiseWorkloadStuck')])).toContain('SUCCESS');
  });

  it('KruiseReconcileErrors does not fire for an object whose passes fail for two minutes, although no other is reconciled', async () => {
    const of = (metric: string, more = ''): string =>
      `controller_runtime_reconcile_${metric}{job="kruise-controller-manager",controller="c"${more}}`;
    const failed = '0 10+4x1 14+0x60';
    const series = {
      [of('errors_total')]: failed,
      [of('total', ',result="error"')]: failed,
      [of('total', ',result="success"')]: '0+0x3 1+0x60',
    };
    const quiet = Array.from({ length: 60 }, (_, minute) => at(minute, 'KruiseReconcileErrors'));
    expect(await testRules('quiet errors of a moment', series, quiet)).toContain('SUCCESS');
  });
});

describe('the dashboard of the webhooks', () => {
  const requests = (code: number): string =>
    `controller_runtime_webhook_requests_total{job="kruise-controller-manager",webhook="/mutate-pod",code="${code}"}`;
  /** Requests a second by code, for 20 min. */
  const rates = { 200: 10, 401: 3, 429: 1, 499: 4, 500: 2, 503: 1 };
  const series = Object.fromEntries(Object.entries(rates).map(([code, rate]) => [requests(Number(code)), `0+${rate * 60}x20`]));
  const exprOf = (title: string): string =>
    dashboards
      .flatMap(({ panels }) => panels)
      .find((panel) => panel.title === title)!
      .queries[0]!.expr.replaceAll('$webhook', '.*');

  it.each([
    { title: 'Admission requests', expected: 21 },
    { title: 'Admission requests without a decision', expected: 4 },
    { title: 'Admission requests whose caller is unknown (401) or disconnected (499)', expected: 7 },
  ])('$title counts $expected of 21', async ({ title, expected }) => {
    expect(await testQuery(`round(sum(${exprOf(title)}))`, series, expected)).toContain('SUCCESS');
  });

  it('shows as the share of requests without a decision what the alert KruiseWebhookErrors compares', async () => {
    const share = exprOf('Requests without a decision');
    expect(alerts.find(({ alert }) => alert === 'KruiseWebhookErrors')?.expr).toBe(`${share} > 0.05`);
    expect(await testQuery(`round(${share} * 21)`, series, 4)).toContain('SUCCESS');
  });

  it('has an alert that does not fire for callers that are unknown or disconnect', async () => {
    const callers = { [requests(200)]: '0+60x20', [requests(401)]: '0+600x20', [requests(499)]: '0+600x20' };
    expect(await testRules('callers', callers, [at(15, 'KruiseWebhookErrors')])).toContain('SUCCESS');
  });
});

describe('promtool', () => {
  it('accepts the rules', async () => {
    expect(await promtool(['check', 'rules', rules])).toContain(`SUCCESS: ${alerts.length} rules found`);
  });

  it('accepts every query of every dashboard', async () => {
    const queries = dashboards.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries));
    const recorded = queries.map(({ expr }, index) => ({ record: `query_${index}`, expr: expr.replaceAll(/\$[a-z]+/g, 'chosen') }));
    const file = join(folder, 'queries.json');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules: recorded }] }));
    expect(await promtool(['check', 'rules', file])).toContain(`SUCCESS: ${queries.length} rules found`);
  });

  it('refuses a query that Prometheus cannot parse', async () => {
    const file = join(folder, 'faulty.json');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'faulty', rules: [{ record: 'a', expr: 'sum(' }] }] }));
    await expect(promtool(['check', 'rules', file])).rejects.toThrow();
  });
});
