/** Findings of lint for programs: as JSON of this plugin, and as SARIF 2.1.0 for code hosts and editors. */
import { lintIds, lintRules, type Severity } from '@kruise/insight/lint';
import { countOf, type LintReport, type PlacedFinding } from '../lint/report.ts';
import { artifactUri, type FileNames } from './artifact-uri.ts';

/** Returns the report with the members of each finding in a fixed order. */
export const lintJson = (report: LintReport): object => ({
  objects: report.objects,
  summary: { errors: countOf(report, 'error'), warnings: countOf(report, 'warning'), notes: countOf(report, 'note') },
  findings: report.findings.map(({ id, severity, place, line, column, apiVersion, kind, namespace, name, path, message, next }) => ({
    id,
    severity,
    title: lintRules[id].title,
    file: place,
    line,
    column,
    apiVersion,
    kind,
    namespace,
    name,
    path,
    message,
    next,
  })),
});

/** Levels of SARIF have the names of our severities. */
const levelOf = (severity: Severity): string => severity;

const sarifRule = (id: (typeof lintIds)[number]): object => {
  const { severity, title, explanation, next } = lintRules[id];
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: explanation },
    help: { text: next },
    defaultConfiguration: { level: levelOf(severity) },
  };
};

const sarifResult = (
  { id, severity, place, line, column, kind, namespace, name, path, message, next }: PlacedFinding,
  names: FileNames,
): object => ({
  ruleId: id,
  ruleIndex: lintIds.indexOf(id),
  level: levelOf(severity),
  message: { text: `${message}. ${next}` },
  locations: [
    {
      physicalLocation: { artifactLocation: { uri: artifactUri(place, names) }, region: { startLine: line, startColumn: column } },
      logicalLocations: [{ fullyQualifiedName: [kind, namespace, name, path].filter((part) => part !== '').join('/'), kind: 'member' }],
    },
  ],
});

/** Returns one run with all rules. @param version that of the plugin */
export const lintSarif = ({ findings }: LintReport, version: string, names: FileNames): object => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: 'kubectl-kruise', version, rules: lintIds.map(sarifRule) } },
      columnKind: 'utf16CodeUnits',
      results: findings.map((found) => sarifResult(found, names)),
    },
  ],
});
