/** Lints the objects of files: what the API server and the webhooks say about their creation, and what is legal and never works. */
import { defaultGates, inHub, type Gates } from '@kruise/api';
import type { JsonObject } from '@kruise/objects';
import { acrossFiles } from './across/checks.ts';
import { lintRules } from './findings/catalog.ts';
import { Files } from './objects/files.ts';
import { isOurs, readLinted, type Linted, type LintedObject } from './objects/linted.ts';
import { finding, type Finding } from './findings/finding.ts';
import { judgeCreation, type Judged } from './judge-creation.ts';

export interface LintOptions {
  /** Those of the manager; the defaults when absent. */
  readonly gates?: Gates;
  /** `--allow-privileged` of the manager, true by default. */
  readonly allowPrivileged?: boolean;
  /** Of objects that name none; `default` when absent. */
  readonly namespace?: string;
}

const severities = ['error', 'warning', 'note'] as const;
const rankOf = ({ id }: Finding): number => severities.indexOf(lintRules[id].severity);

/** Leaves out hints of the webhook on a field about which there is a finding of lint itself. */
function withoutRepeated(findings: readonly Finding[]): readonly Finding[] {
  const better = new Set(findings.filter(({ id, path }) => id !== 'KR201' && path !== '').map(({ path }) => path));
  return findings.filter(({ id, path }) => id !== 'KR201' || !better.has(path));
}

const isSame = (a: Linted, b: Linted): boolean =>
  a.group === b.group && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name && a.name !== '';

const repeated = (linted: Linted, earlier: readonly Linted[]): readonly Finding[] =>
  earlier.some((other) => isSame(linted, other))
    ? [finding('KR008', 'metadata.name', `${linted.kind} ${linted.name} is defined by an earlier document as well`)]
    : [];

/**
 * Returns the findings of each object, the severe ones first. Objects of other groups have none; they are read for references.
 *
 * @param written in the order in which they are created
 * @returns a list for each object, in the same order
 * @remarks Never throws, whatever the objects contain. What only the cluster knows is not judged: Pods of a ContainerRecreateRequest, and whether a
 * distributed resource can exist.
 */
export function lintObjects(written: readonly LintedObject[], options: LintOptions = {}): readonly (readonly Finding[])[] {
  const { gates = defaultGates, allowPrivileged = true, namespace = 'default' } = options;
  const read = written.map((object) => readLinted(object, namespace));
  const earlier: Linted[] = [];
  const judged: Judged[] = [];
  for (const linted of read) {
    const verdict = judgeCreation(linted, { gates, allowPrivileged, all: read, earlier });
    judged.push(verdict);
    earlier.push({ ...linted, object: completeObject(verdict, linted) });
  }
  const files = new Files(earlier);
  return earlier.map((linted, i) => {
    const own = judged[i]?.findings ?? [];
    const across = own.some(({ id }) => lintRules[id].severity === 'error') ? [] : acrossFiles(linted, files);
    const doubles = isOurs(linted) ? repeated(linted, earlier.slice(0, i)) : [];
    return withoutRepeated([...own, ...doubles, ...across]).toSorted((a, b) => rankOf(a) - rankOf(b));
  });
}

const completeObject = ({ complete }: Judged, { written }: Linted): JsonObject => inHub(complete ?? written);
