/** Lints the objects of files: what the API server and the webhooks say about their creation, and what is legal and never works. */
import { configuration, defaultGates, inHub, type Gates } from '@kruise/api';
import type { ConfigMap, JsonObject } from '@kruise/objects';
import { acrossFiles } from './across/checks.ts';
import { lintRules } from './findings/catalog.ts';
import { Files } from './objects/files.ts';
import { ObjectTable } from './objects/object-table.ts';
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

/** Omits hints of the webhook on a field about which there is a finding of lint itself. */
function withoutRepeated(findings: readonly Finding[]): readonly Finding[] {
  const better = new Set(findings.filter(({ id, path }) => id !== 'KR201' && path !== '').map(({ path }) => path));
  return findings.filter(({ id, path }) => id !== 'KR201' || !better.has(path));
}

const repeated = ({ kind, name }: Linted): Finding =>
  finding('KR008', 'metadata.name', `${kind} ${name} is already defined by an earlier document`);

const completeObject = ({ complete }: Judged, { written }: Linted): JsonObject => inHub(complete ?? written);

const isConfiguration = ({ group, kind, name }: Linted): boolean => group === '' && kind === 'ConfigMap' && name === configuration.name;

interface JudgedObject {
  /** Complete. */
  readonly linted: Linted;
  readonly findings: readonly Finding[];
}

/** Judges the objects one after the other: each meets those before it. */
function judgeInOrder(read: readonly Linted[], gates: Gates, allowPrivileged: boolean): readonly JudgedObject[] {
  const earlier = new ObjectTable();
  const settings = read.find(isConfiguration)?.written as unknown as ConfigMap | undefined;
  return read.map((linted) => {
    const verdict = judgeCreation(linted, { gates, allowPrivileged, configuration: settings, earlier });
    const { group, kind, namespace, name } = linted;
    const isRepeated = isOurs(linted) && name !== '' && earlier.find(group, kind, namespace, name) !== undefined;
    const complete = { ...linted, object: completeObject(verdict, linted) };
    earlier.add(complete);
    return { linted: complete, findings: [...verdict.findings, ...(isRepeated ? [repeated(linted)] : [])] };
  });
}

const isError = ({ id }: Finding): boolean => lintRules[id].severity === 'error';

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
  const judged = judgeInOrder(
    written.map((object) => readLinted(object, namespace)),
    gates,
    allowPrivileged,
  );
  const files = new Files(judged.map(({ linted }) => linted));
  return judged.map(({ linted, findings }) => {
    const across = findings.some(isError) ? [] : acrossFiles(linted, files);
    return withoutRepeated([...findings, ...across]).toSorted((a, b) => rankOf(a) - rankOf(b));
  });
}
