/** The environment in which the phases of a workload are measured: a control plane with simulated nodes, the manager, and reviews beside them. */
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { namespaces } from '@kruise/objects';
import { startControlPlane } from '@kruise/testing';
import { AdmissionLoad, type ReviewSubject } from './admission-load.ts';
import { namespace } from './clone-set.ts';
import { DelayWatch } from './delay-watch.ts';
import { EchoProcess } from './echo-process.ts';
import { install } from './install.ts';
import { ManagerProcess } from './manager-process.ts';
import { runPhase, type Instruments, type Phase, type PhaseResult } from './phase.ts';

export interface StageOptions {
  readonly program: string;
  readonly folder: string;
  /** How many there will be at most. */
  readonly pods: number;
  /** As many as the Pods need when absent. */
  readonly simulatedNodes?: number;
  /** Those of Kubernetes, and its scheduler: true when absent. */
  readonly controllers?: boolean;
  /** Of the manager, besides those as shipped. */
  readonly flags?: readonly string[];
  readonly profileFolder?: string;
  readonly progress: (line: string) => void;
}

export interface Stage {
  readonly client: Client;
  readonly instruments: Instruments;
  readonly admission: AdmissionLoad;
}

const podsPerNode = 100;
const admissionPerSecond = 20;
/** As often as one of three subjects. */
const echoPerSecond = 7;

/** Sets everything up, lets `use` measure, and stops everything. @param subjects sent to the webhooks, 20 a second in all */
export async function onStage<T>(
  { program, folder, pods, controllers = true, flags = [], profileFolder, progress, ...options }: StageOptions,
  subjects: readonly ReviewSubject[],
  use: (stage: Stage) => Promise<T>,
): Promise<T> {
  const simulatedNodes = options.simulatedNodes ?? Math.ceil(pods / podsPerNode) + 1;
  progress(`starting a control plane with ${simulatedNodes} simulated nodes`);
  await using plane = await startControlPlane({ controllers, simulatedNodes });
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
  try {
    await install(client, AbortSignal.timeout(60_000));
    await client.create(namespaces, { metadata: { name: namespace } });
    if (controllers) await plane.waitFor(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    const profiled = profileFolder === undefined ? {} : { profileFolder };
    await using manager = await ManagerProcess.start({ program, folder, kubeconfig: plane.kubeconfigPath, flags, ...profiled });
    await manager.waitUntilReady();
    await manager.waitUntilLeading();
    const target = { port: manager.ports.webhook, certificateAuthority: manager.certificateAuthority };
    const admission = await AdmissionLoad.connect(target, subjects);
    admission.start(admissionPerSecond);
    const { certificates, certificateAuthority } = manager;
    const sent = subjects.slice(-1).map((subject) => ({ ...subject, path: '/answered-at-once' }));
    await using echo = await EchoProcess.start({ certificates, certificateAuthority }, sent);
    echo.load.start(echoPerSecond);
    const delays = new DelayWatch(manager);
    try {
      return await use({ client, instruments: { plane, manager, admission, echo: echo.load, delays }, admission });
    } finally {
      await delays.stop();
      await admission.stop();
    }
  } finally {
    client.close();
  }
}

/** One after the other. */
export async function runPhases(
  phases: readonly Phase[],
  instruments: Instruments,
  progress: StageOptions['progress'],
): Promise<readonly PhaseResult[]> {
  const results: PhaseResult[] = [];
  for (const phase of phases) {
    progress(phase.name);
    results.push(await runPhase(phase, instruments));
    progress(JSON.stringify(results.at(-1)));
  }
  return results;
}
