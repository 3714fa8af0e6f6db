/**
 * What a kind, or a feature without a kind of its own, consists of. `kinds/index.ts` lists the modules; everything that runs is made
 * from that list, and only what needs no manager (schema, webhook paths, rights, uninstalling) is in the kind's declaration in libs/api.
 */
import type { AdmissionHandler, RequestNeed } from '@kruise/admission';
import { storedVersion, type FeatureDeclaration, type GateName, type Gates, type KindDeclaration } from '@kruise/api';
import type { ControllerDefinition } from '@kruise/kube';
import type { KubeObject } from '@kruise/objects';
import type { ManagerFlags } from '../options/flags.ts';
import type { Installed } from '../process/discovery.ts';
import type { ControllerDependencies } from './controller-dependencies.ts';
import type { HandlerDependencies } from './handler-dependencies.ts';
import type { PodCheckModule } from './pod-check.ts';
import type { PodStep } from './pod-step.ts';
import type { PodStepName } from './pod-webhook-order.ts';
import { guardedByAll, type UpdateGuard } from '@kruise/workloads';

/** Names of the flags that say how many keys a controller works on at a time. */
export type WorkersFlag = Extract<keyof ManagerFlags, `${string}-workers`>;

/** What a controller does, without its name and size. */
export type ControllerWork = Omit<ControllerDefinition, 'name' | 'workers'>;

export interface ControllerModule {
  /** In metrics, logs and events. */
  readonly name: string;
  /** Keys that are worked on at a time, or the flag that says so. */
  readonly workers: number | WorkersFlag;
  /** The kind without which there is nothing to do, when that is another than the module's own. */
  readonly needs?: KindDeclaration;
  /** All of them must be on. */
  readonly gates?: readonly GateName[];
  /** One of them must be on. */
  readonly anyGate?: readonly GateName[];
  readonly define: (dependencies: ControllerDependencies) => ControllerWork;
}

/** Requests about Pods that are there: of their own, and evictions, which name them only. */
interface ExistingPodNeeds {
  readonly pods: readonly RequestNeed[];
  readonly evictions: readonly RequestNeed[];
}

/** A step that the Pod webhook runs when a Pod is created. */
interface PodStepModule {
  /** Its place in `podStepOrder`. */
  readonly name: PodStepName;
  /** The kind whose objects it reads. The step is omitted where the CRD is absent, because its cache would never be filled. */
  readonly needs?: KindDeclaration;
  /** @returns undefined when gates leave nothing to do */
  readonly define: (dependencies: HandlerDependencies) => PodStep | undefined;
}

export interface KindModule {
  /** The kind as users know it; absent for a feature. */
  readonly declaration?: KindDeclaration;
  /** The webhooks of a feature, which has no kind. */
  readonly feature?: FeatureDeclaration;
  /** Loads the controllers. Only the leader calls it, so that neither a standby nor the webhook thread holds their code. */
  readonly controllers?: () => Promise<readonly ControllerModule[]>;
  /** Handlers of exactly the paths that the declaration, or the feature with these gates, names. */
  readonly admission?: {
    /** Whether handlers read objects of the kind, for which they would wait in vain where its CRD is absent. */
    readonly readsItsKind?: boolean;
    readonly handlers: (dependencies: HandlerDependencies) => readonly AdmissionHandler[];
  };
  /** A step that the Pod webhook runs when a Pod is created. */
  readonly podSteps?: readonly PodStepModule[];
  /** Checks that the Pod webhook calls when a Pod is updated, resized, deleted or evicted. */
  readonly podChecks?: readonly PodCheckModule[];
  /**
   * Which Pods have to come through the Pod webhook once this object, in its hub version, is there: the webhook is widened before the object is
   * admitted. Absent for a kind that requests none.
   */
  readonly podNeeds?: (object: KubeObject) => readonly RequestNeed[];
  /** The same of what is done to Pods that are there already. */
  readonly existingPodNeeds?: (object: KubeObject) => ExistingPodNeeds;
  /** Who has a say in the updates of other controllers, for a kind whose objects limit what may be out of service. */
  readonly updateGuard?: (dependencies: ControllerDependencies) => UpdateGuard;
}

/** Whether the cluster has the kind; what needs none is always there. */
export const isInstalled = (declaration: KindDeclaration | undefined, installed: Installed): boolean =>
  declaration === undefined || installed(declaration.group, storedVersion(declaration), declaration.kind);

/** Loads the controllers that have something to do, in the order of the modules. */
export async function loadControllers(
  modules: readonly KindModule[],
  gates: Gates,
  installed: Installed,
): Promise<readonly ControllerModule[]> {
  const load = async ({ declaration, controllers }: KindModule): Promise<readonly ControllerModule[]> =>
    ((await controllers?.()) ?? []).filter(
      ({ needs = declaration, gates: all = [], anyGate }) =>
        isInstalled(needs, installed) && all.every((gate) => gates[gate]) && (anyGate === undefined || anyGate.some((gate) => gates[gate])),
    );
  return (await Promise.all(modules.map(load))).flat();
}

/** Returns the guards of all modules as one; undefined when there is none. */
export function updateGuardOf(modules: readonly KindModule[], dependencies: ControllerDependencies): UpdateGuard | undefined {
  const { gates, installed } = dependencies;
  if (!gates.PodUnavailableBudgetUpdateGate) return undefined;
  const guards = modules
    .filter(({ declaration }) => isInstalled(declaration, installed))
    .flatMap(({ updateGuard }) => updateGuard?.(dependencies) ?? []);
  return guards.length === 0 ? undefined : guardedByAll(guards);
}

/** @see ControllerModule.workers */
export const defineController = (
  { name, workers, define }: ControllerModule,
  dependencies: ControllerDependencies,
): ControllerDefinition => ({
  ...define(dependencies),
  name,
  workers: typeof workers === 'number' ? workers : dependencies.flags[workers],
});

/** The modules whose own webhooks are served. */
export const admittedKinds = (modules: readonly KindModule[], installed: Installed): readonly KindModule[] =>
  modules.filter(
    ({ declaration, admission }) => admission !== undefined && (admission.readsItsKind !== true || isInstalled(declaration, installed)),
  );
