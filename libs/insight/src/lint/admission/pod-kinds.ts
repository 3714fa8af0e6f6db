/** Creation of the kinds that work on Pods of other owners. Each entry has the rules of the kind's webhooks, in their order. */
import {
  inHub,
  persistentPodStateWarnings,
  persistentPodStateWhiteListKey,
  podProbeMarkerWarnings,
  podUnavailableBudgetWarnings,
  sidecarSetBaseOf,
  sidecarSetAnnotations,
  sidecarSetConflicts,
  sidecarSetDeclaration,
  sidecarSetWarnings,
  sidecarSetWhiteListKey,
  validateEphemeralJob,
  validatePatchedAnnotations,
  validatePersistentPodState,
  validatePodProbeMarker,
  validatePodUnavailableBudget,
  validateSidecarSet,
  validateSidecarSetStrictly,
  workloadSpreadFindings,
  workloadSpreadWhiteListKey,
  type Gates,
  type SidecarSet,
  type SpreadTemplate,
} from '@kruise/api';
import { isSupported } from '@kruise/kinds/persistentpodstate';
import { completeSidecarSet, revisionReferenceOf } from '@kruise/kinds/sidecarset';
import {
  fieldInternal,
  fieldInvalid,
  isJsonObject,
  memberAt,
  objectAt,
  objectsAt,
  stringAt,
  type FieldError,
  type JsonObject,
  type KubeObject,
} from '@kruise/objects';
import { listedKind, orderRule, readWhiteList, targetOf } from '@kruise/workloads';
import type { CreationFacts, KindCreation } from './creation.ts';
import { gateDenial } from './gate-denial.ts';

const oldObject = undefined;

const validateSidecarSetOrder = orderRule(sidecarSetDeclaration, 'v1beta1', ['spec', 'updateStrategy']);

/** Rule 15: only a rolling update has an order. @see spec/sidecarset.md 4.2 */
const sidecarSetOrder = (object: JsonObject): readonly FieldError[] =>
  memberAt(object, 'spec', 'updateStrategy', 'type') === 'RollingUpdate' ? validateSidecarSetOrder(object) : [];

/** A base that the files do not contain may be in the cluster. */
function baseFaults(object: JsonObject, { sibling }: CreationFacts): readonly FieldError[] {
  const name = sidecarSetBaseOf(object);
  const base = name === undefined ? undefined : sibling(name);
  if (name === undefined || base === undefined || sidecarSetBaseOf(base) === undefined) return [];
  return [fieldInvalid(`metadata.annotations[${sidecarSetAnnotations.base}]`, name, 'base sidecarSet cannot be canary')];
}

/** A new SidecarSet has no revisions, so that it cannot refer to one. */
function revisionFaults(object: JsonObject): readonly FieldError[] {
  const reference = revisionReferenceOf(object as unknown as SidecarSet);
  if (reference === undefined) return [];
  const why = 'Cannot find specific ControllerRevision, err: a new SidecarSet has no revisions';
  return [fieldInvalid('spec.injectionStrategy.revision', reference, why)];
}

/** Copies of one SidecarSet conflict each with each: a user reads no more conflicts of one of them. */
const enoughConflicts = 20;

function sidecarSetFaults(object: JsonObject, facts: CreationFacts): readonly FieldError[] {
  const { allowPrivileged, configuration, gates } = facts;
  const settings = {
    text: configuration?.data?.[sidecarSetWhiteListKey],
    defaultsAllowed: gates.SidecarSetPatchPodMetadataDefaultsAllowed,
  };
  const faults = [
    ...validateSidecarSet(object, { allowPrivileged, kubernetes: undefined }),
    ...validateSidecarSetStrictly(object, oldObject),
    ...sidecarSetOrder(object),
    ...(isJsonObject(object['spec'])
      ? [...baseFaults(object, facts), ...revisionFaults(object), ...validatePatchedAnnotations(object, settings)]
      : []),
  ];
  if (faults.length > 0) return faults;
  return sidecarSetConflicts(object as unknown as SidecarSet, facts.rivals(object) as unknown as readonly SidecarSet[], enoughConflicts);
}

const sidecarSet: KindCreation = {
  defaulted: (object) => completeSidecarSet(object),
  findings: (sent, facts) => {
    const object = inHub(sent);
    return { faults: sidecarSetFaults(object, facts), warnings: sidecarSetWarnings(object, oldObject) };
  },
};

const budgetGates = (gates: Gates): string | undefined =>
  gates.PodUnavailableBudgetDeleteGate || gates.PodUnavailableBudgetUpdateGate
    ? undefined
    : 'feature PodUnavailableBudget is invalid, please open via feature-gate(PodUnavailableBudgetDeleteGate, PodUnavailableBudgetUpdateGate)';

const podUnavailableBudget: KindCreation = {
  gateDenial: budgetGates,
  findings: (sent, { rivals }) => {
    const object = inHub(sent);
    return {
      faults: validatePodUnavailableBudget(object, { oldObject, others: rivals(object) }),
      warnings: podUnavailableBudgetWarnings(object),
    };
  },
};

const persistentPodState: KindCreation = {
  findings: (sent, { rivals, configuration }) => {
    const object = inHub(sent);
    const reading = readWhiteList(configuration, persistentPodStateWhiteListKey);
    if (reading.kind === 'Faulty') return { faults: [fieldInternal('spec.targetRef', reading.why)] };
    const faults = validatePersistentPodState(object, {
      supported: (kind) => isSupported(kind, reading),
      oldObject,
      others: rivals(object),
    });
    return { faults, warnings: persistentPodStateWarnings(object) };
  },
};

/** The template on which patches are tried, of a workload in the files. */
function templateFor(object: JsonObject, facts: CreationFacts): SpreadTemplate | undefined {
  const target = targetOf(object as unknown as KubeObject);
  const hasPatch = objectsAt(object, 'spec', 'subsets').some((subset) => isJsonObject(memberAt(subset, 'patch')));
  const workload = target === undefined || !hasPatch ? undefined : facts.workload(target.group, target.kind, target.name);
  const template = objectAt(workload, 'spec', 'template');
  if (template === undefined) return undefined;
  return {
    template,
    claimVolumes: objectsAt(workload, 'spec', 'volumeClaimTemplates').flatMap((claim) => stringAt(claim, 'metadata', 'name') ?? []),
    allowPrivileged: facts.allowPrivileged,
    hostNetworkHostPorts: facts.gates.DefaultHostNetworkHostPortsInPodTemplates,
  };
}

const workloadSpread: KindCreation = {
  gateDenial: gateDenial('WorkloadSpread'),
  findings: (sent, facts) => {
    const object = inHub(sent);
    const reading = readWhiteList(facts.configuration, workloadSpreadWhiteListKey);
    return workloadSpreadFindings(object, {
      listed: (kind) =>
        reading.kind === 'Faulty'
          ? { kind: 'Unknown', why: reading.why }
          : { kind: listedKind(reading.kinds, kind) === undefined ? 'Unsupported' : 'Supported' },
      oldObject,
      others: facts.rivals(object),
      template: templateFor(object, facts),
    });
  },
};

const podProbeMarker: KindCreation = {
  gateDenial: gateDenial('PodProbeMarkerGate', 'KruiseDaemon'),
  findings: (object) => ({ faults: validatePodProbeMarker(object), warnings: podProbeMarkerWarnings(object) }),
};

const ephemeralJob: KindCreation = {
  findings: (object, { allowPrivileged }) => ({ faults: validateEphemeralJob(object, { allowPrivileged, kubernetes: undefined }) }),
};

/** By `group/Kind`. */
export const podCreations: Readonly<Record<string, KindCreation>> = {
  'apps.kruise.io/EphemeralJob': ephemeralJob,
  'apps.kruise.io/PersistentPodState': persistentPodState,
  'apps.kruise.io/PodProbeMarker': podProbeMarker,
  'apps.kruise.io/SidecarSet': sidecarSet,
  'apps.kruise.io/WorkloadSpread': workloadSpread,
  'policy.kruise.io/PodUnavailableBudget': podUnavailableBudget,
};
