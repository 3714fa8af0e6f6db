/** The environment in which phases are measured: a control plane with simulated nodes, the manager, and reviews beside them. */
import { join } from 'node:path';
import { LineProgram } from '../line-program.ts';
import type { Measure, ScenarioRun, Sizes } from '../scenario.ts';
import type { Row } from '../table.ts';
import { AdmissionLoad, type ReviewSubject } from './admission-load.ts';
import { DelayWatch } from './delay-watch.ts';
import { runPhase, type Instruments, type Phase, type PhaseResult } from './phase.ts';
import { launchManager, onPlane } from './plane.ts';

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

export interface Stage extends Instruments, ScenarioRun {
  /** Measures one phase, and records what it has cost. */
  readonly phase: (phase: Phase) => Promise<PhaseResult>;
  /** One after the other. */
  readonly phases: (phases: readonly Phase[]) => Promise<readonly PhaseResult[]>;
}

const podsPerNode = 100;
/** What a stage with subjects sends by itself. */
export const admissionPerSecond = 20;
/** As often as one of three subjects. */
const echoPerSecond = 7;

function stageOf(instruments: Instruments, run: ScenarioRun): Stage {
  const phase: Stage['phase'] = async (one) => {
    run.progress(one.name);
    const result = await runPhase(one, instruments);
    run.record(result);
    return result;
  };
  const phases: Stage['phases'] = async (all) => {
    const results: PhaseResult[] = [];
    for (const one of all) results.push(await phase(one));
    return results;
  };
  return { ...instruments, ...run, phase, phases };
}

/** @returns a scenario that sets everything up, lets `use` measure, and stops everything */
export const onStage =
  (optionsFor: (sizes: Sizes) => StageOptions, use: (stage: Stage) => Promise<readonly Row[]>): Measure =>
  (run) => {
    const { pods, controllers = true, flags, subjects = [], simulatedNodes = Math.ceil(pods / podsPerNode) + 1 } = optionsFor(run.sizes);
    run.progress(`starting a control plane with ${simulatedNodes} simulated nodes`);
    return onPlane({ controllers, simulatedNodes }, async ({ plane, client }) => {
      await using manager = await launchManager(run, plane, flags);
      await manager.waitUntilLeading();
      const { certificates, ports } = manager;
      await using admission = await AdmissionLoad.connect({ port: ports.webhook, certificates }, subjects);
      admission.start(admissionPerSecond);
      using bystander = new LineProgram('the process beside', [process.execPath, join(import.meta.dirname, 'bystander.ts'), certificates]);
      const sent = subjects.slice(-1).map((subject) => ({ ...subject, path: '/answered-at-once' }));
      await using echo = await AdmissionLoad.connect({ port: Number(await bystander.next()), certificates }, sent);
      echo.start(echoPerSecond);
      await using delays = new DelayWatch(manager, bystander);
      return await use(stageOf({ client, plane, manager, admission, echo, delays }, run));
    });
  };
