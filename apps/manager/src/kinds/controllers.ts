/** The controllers of this manager and what each needs to run. */
import type { Gates } from '@kruise/api';
import type { Client, Clock, ControllerDefinition, EventRecorder, Informers, Logger } from '@kruise/kube';
import type { ResourceWriting } from '@kruise/pods';
import type { ManagerFlags } from '../options/flags.ts';
import type { Installed } from '../process/discovery.ts';
import { cloneSetController } from './cloneset/index.ts';
import { podReadinessController } from './podreadiness/index.ts';

/** What a controller is made from. */
export interface ControllerDependencies {
  /** Feeds what its writes return into the stores of `informers`; refuses writes once the leadership is lost. */
  readonly client: Client;
  readonly informers: Informers;
  /** The recorder whose events name this controller as their source. */
  readonly recorderFor: (component: string) => EventRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gates: Gates;
  readonly flags: ManagerFlags;
  readonly installed: Installed;
  /** How cpu and memory of running Pods are changed on this server. */
  readonly resourceWriting: ResourceWriting;
}

interface Candidate {
  /** The kind without which the controller has nothing to do; absent when it works on built-in kinds alone. */
  readonly needs?: readonly [group: string, version: string, kind: string];
  readonly define: (dependencies: ControllerDependencies) => ControllerDefinition;
}

const candidates: readonly Candidate[] = [
  { needs: ['apps.kruise.io', 'v1beta1', 'CloneSet'], define: cloneSetController },
  { define: podReadinessController },
];

/** The controllers whose kind is installed, in the order of their start. */
export const defineControllers = (dependencies: ControllerDependencies): readonly ControllerDefinition[] =>
  candidates.filter(({ needs }) => needs === undefined || dependencies.installed(...needs)).map(({ define }) => define(dependencies));
