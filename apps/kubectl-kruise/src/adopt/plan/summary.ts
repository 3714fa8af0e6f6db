/** What a move is going to do, as data and as lines. */
import { labels } from '@kruise/api';
import { controllerOf, isTerminating, memberAt } from '@kruise/objects';
import type { Untyped } from '../../objects/untyped.ts';
import { droppedFields } from '../dropped-fields.ts';
import { foreignFinalizers, isActive, isMarked, isOrphanOf, sourcePods, type Observed } from '../observed/observed.ts';
import type { ReferenceChange } from '../references.ts';
import type { Refusal } from '../refusal.ts';
import { refusalsOf } from './refusals.ts';

/** What the user is shown before the move. */
export interface AdoptionSummary {
  /** `Deployment/web`. */
  readonly source: string;
  readonly target: string;
  readonly namespace: string;
  /** Pods that get a new owner; after the deletion of the source those that have none. */
  readonly pods: number;
  /** Whether an earlier run has begun the move. */
  readonly continued: boolean;
  /** Why the move cannot begin. */
  readonly refusals: readonly Refusal[];
  /** Settings that the target cannot have. */
  readonly dropped: readonly string[];
  readonly notes: readonly string[];
  readonly references: readonly ReferenceChange[];
}

const inPlaceGate = 'InPlaceUpdateReady';

/** @param pod or a template */
const hasGate = (pod: unknown): boolean => {
  const gates = memberAt(pod, 'spec', 'readinessGates');
  return Array.isArray(gates) && gates.some((gate: unknown) => memberAt(gate, 'conditionType') === inPlaceGate);
};

/** Finalizers of Pods that a hook of the source removes: the hook is called by a lifecycle that the target does not have. */
function hookedFinalizers(source: Untyped, moved: readonly Untyped[]): readonly string[] {
  const hooks = ['preDelete', 'inPlaceUpdate'].flatMap((hook): readonly unknown[] => {
    const names = memberAt(source, 'spec', 'lifecycle', hook, 'finalizersHandler');
    return Array.isArray(names) ? names : [];
  });
  return [...new Set(moved.flatMap(({ metadata }) => metadata.finalizers ?? []).filter((name) => hooks.includes(name)))];
}

/** What Pods need from Kruise and do not get from a controller of Kubernetes. */
function notesOnLoss(source: Untyped, moved: readonly Untyped[]): readonly string[] {
  const finalizers = hookedFinalizers(source, moved);
  const template = memberAt(source, 'spec', 'template');
  return [
    ...(hasGate(template)
      ? [`New Pods never become ready: no controller sets the readiness gate ${inPlaceGate} of the template. Remove it from the template.`]
      : []),
    ...(finalizers.length > 0
      ? [`Pods keep the finalizers ${finalizers.join(', ')} of spec.lifecycle, which block their deletion: remove them from the Pods.`]
      : []),
  ];
}

function notesOf({ direction, source }: Observed, moved: readonly Untyped[]): readonly string[] {
  const toKruise = ['CloneSet', 'AdvancedStatefulSet', 'AdvancedDaemonSet'].includes(direction.to);
  const withoutGate = toKruise && moved.some((pod) => !hasGate(pod));
  const isDeployment = direction.from === 'Deployment' || direction.to === 'Deployment';
  return [
    ...(withoutGate ? [`Pods without the readiness gate ${inPlaceGate} are recreated by their first update, whatever the policy is.`] : []),
    ...(isDeployment ? ['The revision history does not move: rollout undo returns to no earlier template.'] : []),
    ...(foreignFinalizers(source).length > 0
      ? [`The source is deleted when other programs have removed their finalizers from it: ${foreignFinalizers(source).join(', ')}.`]
      : []),
    ...(direction.from === 'Deployment' ? [`The label ${labels.podTemplateHash} gets another value: Services must not select by it.`] : []),
    ...(toKruise ? [] : notesOnLoss(source, moved)),
  ];
}

/** Returns the summary of a move that has not begun, or is continued. */
export function summaryOf(seen: Observed, references: readonly ReferenceChange[]): AdoptionSummary {
  const { source, targetType, targetName, direction } = seen;
  const continued = isTerminating(source) && isMarked(source);
  const isMoved = (pod: Untyped): boolean => controllerOf(pod) !== undefined || isOrphanOf(seen, pod);
  const moved = (continued ? seen.pods.filter(isMoved) : sourcePods(seen)).filter(isActive);
  return {
    source: `${source.kind ?? ''}/${source.metadata.name}`,
    target: `${targetType.kind}/${targetName}`,
    namespace: source.metadata.namespace ?? '',
    pods: moved.length,
    continued,
    refusals: continued ? [] : refusalsOf(seen),
    dropped: droppedFields(source, direction.from),
    notes: notesOf(seen, moved),
    references,
  };
}

/** What the user is shown when the source no longer exists and the hold of the target has not ended. */
export const summaryOfLeftHold = (named: Pick<AdoptionSummary, 'source' | 'target' | 'namespace' | 'references'>): AdoptionSummary => ({
  ...named,
  pods: 0,
  continued: true,
  refusals: [],
  dropped: [],
  notes: ['Every Pod has a new owner; only the hold of the target is left to end.'],
});

/** Returns one line of a refusal. */
export const refusalText = ({ of, field, message }: Refusal): string => `${of === undefined ? '' : `${of} `}${field}: ${message}`;

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);
const section = (title: string, lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : [title, ...indented(lines)]);

/** Returns the lines of a summary. @param named how both kinds are named with their groups */
export function summaryLines(summary: AdoptionSummary, named: { readonly source: string; readonly target: string }): readonly string[] {
  const { pods, continued, refusals, dropped, notes, references } = summary;
  const count = `${pods} ${pods === 1 ? 'Pod' : 'Pods'}`;
  const owners = pods === 1 ? 'changes its owner' : 'change their owner';
  const change = continued ? `the move continues with ${count}` : `${count} ${owners}; none restarts`;
  return [
    `${named.source} -> ${named.target}: ${refusals.length > 0 ? 'cannot be moved' : change}`,
    ...section('Refused:', refusals.map(refusalText)),
    ...section('Settings that the target does not have:', dropped),
    ...section('Notes:', notes),
    ...section(
      'Change these objects after the move:',
      references.flatMap(({ name, field, change: how }) => [`${name} ${field}`, `  ${how}`]),
    ),
  ];
}
