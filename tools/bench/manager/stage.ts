/** The environment in which phases are measured: a control plane with simulated nodes, the manager, and reviews beside them. */
import { join } from 'node:path';
import type { Client } from '@kruise/kube';
import { LineProgram } from '../line-program.ts';
import type { ScenarioRun } from '../scenario.ts';
import { AdmissionLoad, type ReviewSubject } from './admission-load.ts';
import { DelayWatch } from './delay-watch.ts';
import { runPhase, type Instruments, type Phase, type PhaseResult } from './phase.ts';
import { onPlane, startManager } from './plane.ts';

interface StageOptions {
  /** How many Pods there will be at most: the simulated nodes have room for them. */
  readonly pods: number;
  /** As many as the Pods need when absent. */
  readonly simulatedNodes?: number;
  /** Those of Kubernetes, and its scheduler: true when absent. */
  readonly controllers?: boolean;
  /** Of the manager, besides those as shipped. */
  readonly flags?: readonly string[];
  /** Sent to the webhooks, 20 a second in all. */
  readonly subjects?: readonly ReviewSubject[];
}

export interface Stage extends Instruments {
  readonly client: Client;
  readonly phase: (phase: Phase) => Promise<PhaseResult>;
  /** One after the other. */
  readonly phases: (phases: readonly Phase[]) => Promise<readonly PhaseResult[]>;
}

const podsPerNode = 100;
/** What a stage with subjects sends by itself. */
export const admissionPerSecond = 20;
/** As often as one of three subjects. */
const echoPerSecond = 7;

function stageOf(client: Client, instruments: Instruments, progress: ScenarioRun['progress']): Stage {
  const phase: Stage['phase'] = async (one) => {
    progress(one.name);
    const result = await runPhase(one, instruments);
    progress(JSON.stringify(result));
    return result;
  };
  const phases: Stage['phases'] = async (all) => {
    const results: PhaseResult[] = [];
    for (const one of all) results.push(await phase(one));
    return results;
  };
  return { ...instruments, client, phase, phases };
}

/** Sets everything up, lets `use` measure, and stops everything. */
export function onStage<T>(run: ScenarioRun, options: StageOptions, use: (stage: Stage) => Promise<T>): Promise<T> {
  const { pods, controllers = true, subjects = [], simulatedNodes = Math.ceil(pods / podsPerNode) + 1 } = options;
  run.progress(`starting a control plane with ${simulatedNodes} simulated nodes`);
  return onPlane({ controllers, simulatedNodes }, async ({ plane, client }) => {
    await using manager = await startManager(run, plane.kubeconfigPath, options.flags);
    const { certificates, webhook } = manager;
    await using admission = await AdmissionLoad.connect(webhook, subjects);
    admission.start(admissionPerSecond);
    using bystander = new LineProgram('the process beside', [process.execPath, join(import.meta.dirname, 'bystander.ts'), certificates]);
    const sent = subjects.slice(-1).map((subject) => ({ ...subject, path: '/answered-at-once' }));
    await using echo = await AdmissionLoad.connect({ ...webhook, port: Number(await bystander.next()) }, sent);
    echo.start(echoPerSecond);
    await using delays = new DelayWatch(manager, bystander);
    return await use(stageOf(client, { plane, manager, admission, echo, delays }, run.progress));
  });
}
