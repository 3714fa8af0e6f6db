/** What the API server and the webhooks say when the object is created, in their order. */
import {
  advancedCronJobObstacle,
  allKinds,
  broadcastJobObstacle,
  cloneSetObstacle,
  daemonSetObstacle,
  inHub,
  objectSchema,
  statefulSetObstacle,
  unitedDeploymentObstacle,
  type Gates,
  type KindDeclaration,
  type VersionDeclaration,
} from '@kruise/api';
import { closestText, formatFieldError, membersAt, type ConfigMap, type FieldError, type JsonObject } from '@kruise/objects';
import type { CreationFacts, CreationFindings, KindCreation } from './admission/creation.ts';
import { nodeCreations } from './admission/node-kinds.ts';
import { podCreations } from './admission/pod-kinds.ts';
import { workloadCreations } from './admission/workload-kinds.ts';
import { isOurs, type Linted } from './objects/linted.ts';
import type { ObjectTable } from './objects/object-table.ts';
import { lintRules } from './findings/catalog.ts';
import { finding, findingOfFault, leadingPath, type Finding } from './findings/finding.ts';
import { metadataFaults, unknownMetadata } from './schema/metadata-faults.ts';
import { receivedObject } from './schema/received.ts';
import { scaleFaults } from './schema/scale-faults.ts';
import { schemaFaults } from './schema/schema-faults.ts';

/** What surrounds one creation. */
export interface Surroundings {
  readonly gates: Gates;
  readonly allowPrivileged: boolean;
  /** The shared ConfigMap of the manager, if the files contain it. */
  readonly configuration: ConfigMap | undefined;
  /** What is created before, complete. */
  readonly earlier: ObjectTable;
}

/** The verdict, and the object with all defaults if it has a kind and a version of ours. */
export interface Judged {
  readonly findings: readonly Finding[];
  readonly complete: JsonObject | undefined;
}

const creations: Readonly<Record<string, KindCreation>> = { ...workloadCreations, ...podCreations, ...nodeCreations };

/** What the controllers require of stored objects in v1beta1. */
const obstacles: Readonly<Record<string, (object: JsonObject) => string | undefined>> = {
  'apps.kruise.io/AdvancedCronJob': advancedCronJobObstacle,
  'apps.kruise.io/BroadcastJob': broadcastJobObstacle,
  'apps.kruise.io/CloneSet': cloneSetObstacle,
  'apps.kruise.io/DaemonSet': daemonSetObstacle,
  'apps.kruise.io/StatefulSet': statefulSetObstacle,
  'apps.kruise.io/UnitedDeployment': unitedDeploymentObstacle,
};

/** Returns a finding whose message names its field itself, or needs none. */
const at = (path: string, found: Finding): Finding => ({ ...found, path });

function notServed({ written: { apiVersion, kind }, declaration, group }: Linted): Finding {
  if (declaration !== undefined) {
    const served = declaration.versions.map(({ name }) => `${group}/${name}`).toReversed();
    return finding(
      'KR001',
      'apiVersion',
      `${kind} is not served as ${apiVersion}, but as ${served.join(' and ')}`,
      `Use ${served[0] ?? ''}.`,
    );
  }
  const inOther = allKinds.find((one) => one.kind === kind);
  if (inOther !== undefined)
    return finding('KR001', 'apiVersion', `${group} has no kind ${kind}; group ${inOther.group} has`, `Use group ${inOther.group}.`);
  const close = closestText(
    kind,
    allKinds.map((one) => one.kind),
  );
  return finding('KR001', 'kind', `${group} has no kind ${kind}${close === undefined ? '' : `; did you mean ${close}?`}`);
}

const isAtOrBelow = (path: string, above: string): boolean =>
  path === above || (path.startsWith(above) && (path[above.length] === '.' || path[above.length] === '['));

/** Faults of the webhook, without those on fields that the API server has refused before. */
const newFaults = (faults: readonly FieldError[], known: readonly FieldError[]): readonly FieldError[] => {
  const paths = new Set(known.map(({ field }) => field));
  const isKnown = ({ field }: FieldError): boolean => paths.has(field) || [...paths].some((path) => isAtOrBelow(field, path));
  const unique = new Map(faults.map((fault) => [formatFieldError(fault), fault]));
  return [...unique.values()].filter((fault) => !isKnown(fault));
};

function factsOf(linted: Linted, version: VersionDeclaration, around: Surroundings): CreationFacts {
  const { gates, allowPrivileged, configuration, earlier } = around;
  const { namespace, name, group, kind } = linted;
  return {
    version: version.name,
    gates,
    allowPrivileged,
    namespace,
    rivals: (object) =>
      earlier
        .rivals(linted, object)
        .filter((one) => one.name !== name)
        .map((one) => one.object),
    sibling: (ofName) => (ofName === name ? undefined : earlier.find(group, kind, namespace, ofName)?.object),
    configuration,
    workload: (ofGroup, ofKind, ofName) => earlier.find(ofGroup, ofKind, namespace, ofName)?.object,
  };
}

/** What the webhooks say, without the fields that the API server has refused. */
function webhookFindings({ faults, denial, warnings = [] }: CreationFindings, known: readonly FieldError[]): readonly Finding[] {
  const path = denial === undefined ? '' : leadingPath(denial);
  const isKnown = known.some(({ field }) => isAtOrBelow(path, field));
  return [
    ...newFaults(faults, known).map((fault) => findingOfFault('KR004', fault)),
    ...(denial === undefined || isKnown ? [] : [at(path, finding('KR004', '', denial))]),
    ...warnings.map((warning) => at(leadingPath(warning), finding('KR201', '', warning))),
  ];
}

function obstacleFinding(kind: string, complete: JsonObject): readonly Finding[] {
  const why = obstacles[kind]?.(inHub(complete));
  return why === undefined ? [] : [at(leadingPath(why), finding('KR007', '', why))];
}

const olderVersion = ({ declaration, group }: Linted, { name }: VersionDeclaration): readonly Finding[] =>
  name === 'v1alpha1' && declaration?.versions.some((one) => one.name === 'v1beta1') === true
    ? [finding('KR202', 'apiVersion', `${declaration.kind} is also served as ${group}/v1beta1`)]
    : [];

/** The API server drops the status of a new object, and webhooks rely on `metadata`. */
function withoutStatus({ status: _status, ...object }: JsonObject): JsonObject {
  return { ...object, metadata: membersAt(object, 'metadata') };
}

/** The object as the webhooks see it, and what the API server itself says. */
interface Submitted {
  readonly complete: JsonObject;
  readonly unknown: readonly string[];
  readonly metadata: readonly FieldError[];
  readonly structural: readonly FieldError[];
}

/** The API server removes unknown members, the mutating webhook fills in defaults, and the API server checks the result. */
function submitted({ written }: Linted, { declaration, version }: Served, creation: KindCreation, facts: CreationFacts): Submitted {
  const schema = objectSchema(declaration, version);
  const { object, unknown } = receivedObject(written, schema);
  const whole = withoutStatus(object);
  const complete = creation.defaulted?.(whole, facts) ?? whole;
  return {
    complete,
    unknown: [...unknownMetadata(written['metadata']), ...unknown],
    metadata: metadataFaults(object, declaration.namespaced),
    structural: [...schemaFaults(schema, complete, ''), ...scaleFaults(version, complete)],
  };
}

/** What the webhooks say of a new object; that a kind is disabled replaces everything else. */
function admissionFindings(
  { complete, metadata, structural }: Submitted,
  creation: KindCreation,
  facts: CreationFacts,
): readonly Finding[] {
  const disabled = creation.gateDenial?.(facts.gates);
  if (disabled !== undefined) return [at('kind', finding('KR005', '', disabled))];
  return webhookFindings(creation.findings?.(complete, facts) ?? { faults: [] }, [...metadata, ...structural]);
}

const isError = ({ id }: Finding): boolean => lintRules[id].severity === 'error';

/** A kind in a version that is served. */
interface Served {
  readonly declaration: KindDeclaration;
  readonly version: VersionDeclaration;
}

function judgeServed(linted: Linted, served: Served, around: Surroundings): Judged {
  const kind = `${linted.group}/${linted.kind}`;
  const creation = creations[kind] ?? {};
  const facts = factsOf(linted, served.version, around);
  const object = submitted(linted, served, creation, facts);
  const findings = [
    ...object.metadata.map((fault) => findingOfFault('KR002', fault)),
    ...object.structural.map((fault) => findingOfFault('KR003', fault)),
    ...admissionFindings(object, creation, facts),
    ...object.unknown.map((path) => at(path, finding('KR006', '', `unknown field ${JSON.stringify(path)}`))),
    ...olderVersion(linted, served.version),
  ];
  const obstacle = findings.some(isError) ? [] : obstacleFinding(kind, object.complete);
  return { findings: [...findings, ...obstacle], complete: object.complete };
}

/** Judges one object. Objects of other groups have no findings. */
export function judgeCreation(linted: Linted, around: Surroundings): Judged {
  const { declaration, version } = linted;
  if (!isOurs(linted)) return { findings: [], complete: undefined };
  return declaration === undefined || version === undefined
    ? { findings: [notServed(linted)], complete: undefined }
    : judgeServed(linted, { declaration, version }, around);
}
