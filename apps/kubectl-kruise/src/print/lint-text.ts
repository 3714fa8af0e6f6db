/** Prints findings of lint as compilers do: a line with file, line and column, and what to do. */
import { counted } from '@kruise/objects';
import { countOf, type LintReport, type PlacedFinding } from '../lint/report.ts';
import { plainText } from './display-width.ts';

const nameOf = ({ kind, namespace, name }: PlacedFinding): string => `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;

const findingLines = (finding: PlacedFinding): readonly string[] => {
  const { place, line, column, severity, id, message, next } = finding;
  return [`${place}:${line}:${column}: ${severity} ${id}: ${message}`, `    ${nameOf(finding)}. ${next}`];
};

function summary(report: LintReport): string {
  const counts = (['error', 'warning', 'note'] as const)
    .map((severity) => [severity, countOf(report, severity)] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => counted(count, severity));
  return `${counts.length === 0 ? 'No findings' : counts.join(', ')} in ${counted(report.objects, 'object')}`;
}

/** Returns the findings in their order, and their numbers. */
export const lintText = (report: LintReport): string =>
  [...report.findings.flatMap(findingLines), summary(report)].map((line) => `${plainText(line)}\n`).join('');
