/**
 * The feature gates that manager and daemon share: their defaults, how a gate argument is parsed, and which gate disables which.
 * @see spec/manager.md 5.4
 */

type Maturity = 'Alpha' | 'Beta';
interface Gate {
  readonly default: boolean;
  readonly maturity: Maturity;
  /** What the gate enables. */
  readonly effect: string;
}

const beta = (on: boolean, effect: string): Gate => ({ default: on, maturity: 'Beta', effect });
const alpha = (effect: string): Gate => ({ default: false, maturity: 'Alpha', effect });

/** Every gate with its default, maturity and effect. */
export const gateTable = {
  PodWebhook: beta(true, 'The Pod webhooks.'),
  PodWebhookNarrowing: beta(true, 'The Pod webhooks are asked only about Pods that need them; off, about all that the installer names.'),
  KruiseDaemon: beta(true, 'Everything that needs the node daemon: image pulling, container recreation, probes.'),
  DaemonWatchingPod: beta(true, 'The daemon watches the Pods of its node: container meta and probes.'),
  WorkloadSpread: beta(true, 'WorkloadSpread: controller, its part of the Pod webhook, validation.'),
  PodUnavailableBudgetDeleteGate: beta(true, 'PodUnavailableBudget on delete and evict.'),
  PodUnavailableBudgetUpdateGate: alpha('PodUnavailableBudget on Pod update; workloads ask it before they update a Pod.'),
  InPlaceUpdateEnvFromMetadata: beta(true, 'Label and annotation changes that feed environment variables restart the container in place.'),
  StatefulSetAutoDeletePVC: beta(true, 'persistentVolumeClaimRetentionPolicy of the Advanced StatefulSet.'),
  PodProbeMarkerGate: beta(true, 'PodProbeMarker and NodePodProbe.'),
  PodIndexLabel: beta(true, 'The label apps.kubernetes.io/pod-index on Pods of an Advanced StatefulSet.'),
  ResourcesDeletionProtection: beta(false, 'Deletion protection by label.'),
  ResourceDistributionGate: beta(false, 'ResourceDistribution.'),
  CloneSetShortHash: alpha('The revision label of CloneSet Pods holds only the hash.'),
  KruisePodReadinessGate: alpha('The KruisePodReady readiness gate on all Pods.'),
  PreDownloadImageForInPlaceUpdate: alpha('CloneSet and Advanced StatefulSet pull images ahead of updates.'),
  PreDownloadImageForDaemonSetUpdate: alpha('Advanced DaemonSet pulls images ahead of updates.'),
  CloneSetPartitionRollback: alpha('Updated Pods go back when the partition grows.'),
  TemplateNoDefaults: alpha('Templates are stored without injected defaults.'),
  SidecarSetPatchPodMetadataDefaultsAllowed: alpha('A SidecarSet may patch any Pod annotation.'),
  SidecarTerminator: alpha('Sidecars are stopped when the main containers of a job have ended.'),
  CloneSetEventHandlerOptimization: alpha('Fewer CloneSet reconciles on Pod updates that cannot matter.'),
  PreparingUpdateAsUpdate: alpha('Pods in PreparingUpdate count as updated while scaling.'),
  ImagePullJobGate: alpha('ImagePullJob and ImageListPullJob.'),
  DeletionProtectionForCRDCascadingGate: alpha('Cascading deletion protection of CustomResourceDefinitions.'),
  EnhancedLivenessProbe: alpha('Liveness probes are taken from the Pod and run by the daemon.'),
  RecreatePodWhenChangeVCTInCloneSetGate: alpha('CloneSet Pods are recreated when the claim templates change.'),
  RecreatePodWhenChangeVCTInStatefulSetGate: alpha(
    'StatefulSet Pods that do not mount the claims of the templates are recreated by the rolling update.',
  ),
  StatefulSetStartOrdinal: alpha('spec.ordinals.start of the Advanced StatefulSet.'),
  EnableExternalCerts: alpha('Webhook certificates come from outside and are only checked.'),
  StatefulSetAutoResizePVCGate: alpha('Claims of an Advanced StatefulSet grow with their template.'),
  ForceDeleteTimeoutExpectationGate: alpha('No effect: CloneSets act on what they have written, and keep no expectations to drop.'),
  InPlaceWorkloadVerticalScaling: alpha('Workloads change CPU and memory in place.'),
  EnablePodProbeMarkerOnServerless: alpha('Probe markers reach Pods as an annotation.'),
  EnableSortSidecarContainerByName: alpha('Injected sidecars are sorted by name.'),
  InPlacePodVerticalScaling: alpha('PodUnavailableBudget distinguishes a resize from an update.'),
  DefaultHostNetworkHostPortsInPodTemplates: alpha('Host ports are defaulted in templates with hostNetwork.'),
  PersistentPodStateAutoCleanup: alpha(
    'A PersistentPodState deletes records of nodes that no longer exist, so that required topology cannot block Pods indefinitely.',
  ),
  ConfigRollout: alpha('CloneSet, Advanced StatefulSet and DaemonSet roll out changes of the ConfigMaps and Secrets that they name.'),
  KStatusConditions: alpha('Workloads have the conditions Reconciling and Stalled, which Flux and other tools that follow kstatus read.'),
  DaemonSetPruneIneligibleNodes: alpha('Pods on nodes that became ineligible do not use up maxUnavailable.'),
} as const satisfies Readonly<Record<string, Gate>>;

/** The name of a feature gate. */
export type GateName = keyof typeof gateTable;
/** Whether each gate is on; contains all of them. */
export type Gates = Readonly<Record<GateName, boolean>>;

/** All gates, in the order of {@link gateTable}. */
export const gateNames = Object.keys(gateTable) as readonly GateName[];

/** Names in the user documentation, mapped to the real ones. */
const aliases: Readonly<Record<string, GateName>> = {
  EnhancedLivenessProbeGate: 'EnhancedLivenessProbe',
  ForceDeleteTimeoutExpectationFeatureGate: 'ForceDeleteTimeoutExpectationGate',
};

const switchedOffBy: readonly { readonly off: GateName; readonly forces: readonly GateName[] }[] = [
  {
    off: 'PodWebhook',
    forces: [
      'KruisePodReadinessGate',
      'PodUnavailableBudgetDeleteGate',
      'PodUnavailableBudgetUpdateGate',
      'WorkloadSpread',
      'SidecarSetPatchPodMetadataDefaultsAllowed',
      'EnhancedLivenessProbe',
      'EnablePodProbeMarkerOnServerless',
    ],
  },
  {
    off: 'KruiseDaemon',
    forces: [
      'PreDownloadImageForInPlaceUpdate',
      'DaemonWatchingPod',
      'InPlaceUpdateEnvFromMetadata',
      'PreDownloadImageForDaemonSetUpdate',
      'PodProbeMarkerGate',
      'SidecarTerminator',
      'ImagePullJobGate',
      'EnhancedLivenessProbe',
    ],
  },
  { off: 'ResourcesDeletionProtection', forces: ['DeletionProtectionForCRDCascadingGate'] },
];

/** Every gate's value, or the first fault of the text. */
export type ParsedGates =
  | { readonly kind: 'Parsed'; readonly gates: Gates; readonly warnings: readonly string[] }
  /** One line that names the gate, the value and the allowed ones. */
  | { readonly kind: 'Failed'; readonly message: string };

const booleanWords: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false] as const),
]);

type Assignment = { readonly name: string; readonly value: boolean };

function parseAssignment(text: string): Assignment | string {
  const equals = text.indexOf('=');
  if (equals < 0) return `missing bool value for feature gate ${text}: write ${text}=true or ${text}=false`;
  const name = text.slice(0, equals).trim();
  const word = text.slice(equals + 1).trim();
  const value = booleanWords.get(word);
  return value === undefined ? `invalid value of feature gate ${name}: ${JSON.stringify(word)}, must be true or false` : { name, value };
}

const isGate = (name: string): name is GateName => Object.hasOwn(gateTable, name);

/** Merges gates. Explicit ones take precedence over AllAlpha and AllBeta, in any order. */
function merge(
  explicit: ReadonlyMap<GateName, boolean>,
  groups: ReadonlyMap<string, boolean>,
  defaults: Partial<Gates>,
): Record<GateName, boolean> {
  const valueOf = (name: GateName): boolean => {
    const gate: Gate = gateTable[name];
    return explicit.get(name) ?? groups.get(`All${gate.maturity}`) ?? defaults[name] ?? gate.default;
  };
  return Object.fromEntries(gateNames.map((name) => [name, valueOf(name)])) as Record<GateName, boolean>;
}

/** Applies what one gate forces on others, until nothing changes. */
export function normaliseGates(gates: Gates): Gates {
  const next: Record<GateName, boolean> = { ...gates };
  for (const { off, forces } of switchedOffBy) {
    if (!next[off]) for (const name of forces) next[name] = false;
  }
  if (next.PreDownloadImageForInPlaceUpdate || next.PreDownloadImageForDaemonSetUpdate) next.ImagePullJobGate = true;
  return next;
}

/**
 * Parses the value of `--feature-gates`: `Name=bool` separated by commas, empty elements skipped, spaces trimmed.
 *
 * @param defaults replaces the default of single gates (the environment may do that); an explicit gate still takes precedence
 * @returns all gates, normalised; or the first fault
 */
export function parseGates(text: string, defaults: Partial<Gates> = {}): ParsedGates {
  const explicit = new Map<GateName, boolean>();
  const groups = new Map<string, boolean>();
  const warnings: string[] = [];
  for (const element of text.split(',').map((part) => part.trim())) {
    if (element === '') continue;
    const assignment = parseAssignment(element);
    if (typeof assignment === 'string') return { kind: 'Failed', message: assignment };
    const { name, value } = assignment;
    const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
    if (alias !== undefined) warnings.push(`feature gate ${name} is called ${alias}`);
    const real = alias ?? name;
    if (real === 'AllAlpha' || real === 'AllBeta') groups.set(real, value);
    else if (isGate(real)) explicit.set(real, value);
    else
      return {
        kind: 'Failed',
        message: `unrecognized feature gate: ${name}, known are AllAlpha, AllBeta, ${[...gateNames].sort().join(', ')}`,
      };
  }
  return { kind: 'Parsed', gates: normaliseGates(merge(explicit, groups, defaults)), warnings };
}

/** All gates at their defaults. */
export const defaultGates: Gates = normaliseGates(merge(new Map(), new Map(), {}));

/** Returns `A=true,B=false` in the order of the table, for the start-up log. */
export const formatGates = (gates: Gates): string => gateNames.map((name) => `${name}=${gates[name]}`).join(',');
