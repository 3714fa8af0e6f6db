/** Runs checks on facts, and writes what they found: a table for people, JSON for programs, an exit code for scripts. */
import { counted } from '@kruise/objects';
import { tableText } from '../print/tab-writer.ts';
import type { Check, Verdict } from './check.ts';
import type { At, FactName, Facts } from './facts.ts';

/** What one check found. */
export interface Finding {
  readonly check: Check;
  readonly verdict: Verdict;
}

/** Exit codes of `check`. */
export const exitCodes = { sound: 0, fault: 1, unknown: 2, timeout: 3 } as const;

export const findingsOf = (checks: readonly Check[], facts: Facts, at: At): readonly Finding[] =>
  checks.map((check) => ({ check, verdict: check.judge(facts, at) }));

/** The facts that the checks read. */
export const factsOf = (checks: readonly Check[]): ReadonlySet<FactName> => new Set(checks.flatMap(({ reads }) => reads));

const has = (findings: readonly Finding[], kind: Verdict['kind']): boolean => findings.some(({ verdict }) => verdict.kind === kind);

/** A fault counts more than what cannot be read. */
export function exitCodeOf(findings: readonly Finding[]): number {
  if (has(findings, 'Fault')) return exitCodes.fault;
  return has(findings, 'Unknown') ? exitCodes.unknown : exitCodes.sound;
}

const words: Readonly<Record<Verdict['kind'], string>> = {
  Sound: 'ok',
  Skipped: '-',
  Advice: 'advice',
  Fault: 'FAULT',
  Unknown: 'unknown',
};

const order: readonly Verdict['kind'][] = ['Fault', 'Unknown', 'Advice'];

function summary(findings: readonly Finding[]): string {
  const count = (kind: Verdict['kind']): number => findings.filter(({ verdict }) => verdict.kind === kind).length;
  return `${counted(findings.length, 'check')}: ${counted(count('Fault'), 'fault')}, ${count('Unknown')} unknown, ${count('Advice')} with advice.\n`;
}

/** The table, then each finding that needs the reader with its next step. */
export function reportText(findings: readonly Finding[]): string {
  const rows = findings.map(({ check, verdict }) => [
    check.name,
    words[verdict.kind],
    verdict.kind === 'Fault' ? check.title : verdict.message,
  ]);
  const details = order.flatMap((kind) =>
    findings.flatMap(({ check, verdict }) =>
      verdict.kind === kind && 'next' in verdict
        ? [`\n${words[kind]}: ${check.name}\n  ${verdict.message}\n  Next: ${verdict.next.replaceAll('\n', '\n        ')}\n`]
        : [],
    ),
  );
  return `${tableText(['CHECK', 'RESULT', 'DETAILS'], rows)}${details.join('')}\n${summary(findings)}`;
}

/** For `-o json`. */
export const reportObject = (findings: readonly Finding[], at: At): object => ({
  kind: 'KruiseCheck',
  namespace: at.namespace,
  result: { [exitCodes.sound]: 'Sound', [exitCodes.fault]: 'Fault', [exitCodes.unknown]: 'Unknown' }[exitCodeOf(findings)],
  checks: findings.map(({ check: { name, title, reads }, verdict }) => ({
    name,
    title,
    reads: [...reads],
    result: verdict.kind,
    message: verdict.message,
    ...('next' in verdict ? { next: verdict.next } : {}),
  })),
});
