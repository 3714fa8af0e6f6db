/** The parts of the node agent, and what they are created from. */
import type { Gates } from '@kruise/api';
import type { Client, Clock, ControllerDefinition, EventRecorder, Informer, Informers, Logger } from '@kruise/kube';
import type { Milliseconds, Pod } from '@kruise/objects';
import type { Registry } from 'prom-client';
import type { DaemonFlags } from './options/flags.ts';
import type { Runtimes } from './runtime/runtimes.ts';

/** What a part of the agent is created from. */
export interface NodeDependencies {
  readonly nodeName: string;
  readonly flags: DaemonFlags;
  readonly gates: Gates;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly runtimes: Runtimes;
  readonly informers: Informers;
  /** The Pods of this node; absent without the gate DaemonWatchingPod. */
  readonly pods: Informer<Pod> | undefined;
  /**
   * Returns a separate connection for one component, known to the server as `kruise-daemon/<component>`. Answers to its writes are put into the
   * stores of `informers` immediately.
   */
  readonly clientFor: (component: string) => Client;
  /** Returns the recorder whose events name this component as their source. */
  readonly recorderFor: (component: string) => EventRecorder;
}

/**
 * Workers of a queue whose passes wait for what runs in a container, a hook of minutes or a command: more than a node has Pods, so that each has its
 * own, and no Pod waits for another one's. An idle worker costs a promise.
 */
export const workersForEveryPod = 1024;

interface RetryTimes {
  readonly baseDelay: Milliseconds;
  readonly maxDelay: Milliseconds;
}

/** A controller and how long its failing keys wait. */
export interface NodeController {
  readonly definition: ControllerDefinition;
  readonly retry: RetryTimes;
}

/** One task of the agent: images, container meta, probes… */
export interface NodePart {
  readonly controllers: readonly NodeController[];
  /** Checks of /healthz by name: return why they fail, undefined when they hold. */
  readonly live?: Readonly<Record<string, () => string | undefined>>;
  /** Runs besides the controllers: ends, having ended all of it, when `signal` aborts. Never rejects. */
  readonly run?: (signal: AbortSignal) => Promise<void>;
}

/** Returns a part, undefined when it has nothing to do here (its gate is off, its kind not installed). */
export type DefineNodePart = (dependencies: NodeDependencies) => NodePart | undefined;
