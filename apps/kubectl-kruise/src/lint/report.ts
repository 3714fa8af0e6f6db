/** What lint reports: the findings of all files with their places. */
import { lintObjects, lintRules, type Finding, type LintOptions, type Severity } from '@kruise/insight/lint';
import { textAt } from '@kruise/objects';
import { isIgnored } from './ignored.ts';
import type { Position, SourceObject } from './source.ts';

/** A finding in a file. */
export interface PlacedFinding extends Finding, Position {
  readonly severity: Severity;
  readonly place: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** '' when the document names none. */
  readonly namespace: string;
  readonly name: string;
}

/** All findings, by place. */
export interface LintReport {
  /** How many objects of Kruise and others were read. */
  readonly objects: number;
  readonly findings: readonly PlacedFinding[];
}

const placed = (finding: Finding, { place, object, locate }: SourceObject): PlacedFinding => ({
  ...finding,
  ...locate(finding.path),
  severity: lintRules[finding.id].severity,
  place,
  apiVersion: object.apiVersion,
  kind: object.kind,
  namespace: textAt(object, 'metadata', 'namespace'),
  name: textAt(object, 'metadata', 'name'),
});

/** Lints the objects in their order, without what their files ignore. */
export function lintReport(objects: readonly SourceObject[], options: LintOptions): LintReport {
  const found = lintObjects(
    objects.map(({ object }) => object),
    options,
  );
  const findings = objects.flatMap((source, i) =>
    (found[i] ?? []).map((finding) => placed(finding, source)).filter(({ id, line }) => !isIgnored(id, line, source.extent)),
  );
  return { objects: objects.length, findings };
}

/** Returns how many findings of a severity there are. */
export const countOf = ({ findings }: LintReport, severity: Severity): number => findings.filter((one) => one.severity === severity).length;
