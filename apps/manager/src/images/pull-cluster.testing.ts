/** The controllers of image pulling on an API server in memory, with agents on its nodes. */
import { imagePullJobs, nodeImages, type ImagePullJob, type NodeImage } from '@kruise/api';
import { isWrite } from '@kruise/kube/testing';
import { instant, type ObjectKey } from '@kruise/objects';
import type { ControllerModule } from '../module/kind-module.ts';
import type { ControllerProcess, ProcessOptions } from '../module/controller-process.testing.ts';
import { InMemoryCluster } from '../module/in-memory-cluster.testing.ts';
import { agentStep, type AgentOptions } from '@kruise/kinds/images/agent.testing';
import { aJob, aNodeImage, type JobShape } from '@kruise/kinds/images/builders.testing';

export class PullCluster extends InMemoryCluster {
  /** What the agents do in every second of {@link tick}. */
  agents: AgentOptions = {};

  /** @param controllers of processes that name none */
  constructor(controllers: readonly ControllerModule[] = []) {
    super(controllers);
  }

  protected override runKubelets(): Promise<void> {
    this.runAgents(this.agents);
    return Promise.resolve();
  }

  /** Starts a process with this controller. */
  start(controller: ControllerModule, options: ProcessOptions = {}): ControllerProcess {
    return this.begin(options, controller);
  }

  /** NodeImages `n0`, `n1`, … without anything to pull. */
  seedNodes(count: number, labels: Readonly<Record<string, string>> = {}): void {
    for (let i = 0; i < count; i += 1) {
      const { metadata: _metadata, ...rest } = aNodeImage();
      this.api.seed(nodeImages, { ...rest, metadata: { name: `n${i}`, labels: { name: `n${i}`, ...labels } } });
    }
  }

  seedJob(shape: JobShape = {}): ImagePullJob {
    const { metadata, ...rest } = aJob(shape);
    const { uid: _uid, resourceVersion: _version, ...own } = metadata;
    return this.api.seed(imagePullJobs, { ...rest, metadata: own });
  }

  job(name = 'pull'): ImagePullJob | undefined {
    return this.api.peek(imagePullJobs, { namespace: 'default', name });
  }

  nodeImage(name: string): NodeImage | undefined {
    return this.api.peek(nodeImages, { namespace: '', name });
  }

  nodeImages(): readonly NodeImage[] {
    return this.api.peekAll(nodeImages);
  }

  /** Lets everything happen that is due within some seconds. */
  async pass(seconds = 0): Promise<void> {
    await this.clock.step(seconds * 1000 + 50);
    await this.clock.settle(50);
  }

  /** Every agent looks at its NodeImage once. */
  runAgents(options: AgentOptions = {}): void {
    for (const nodeImage of this.nodeImages()) {
      const next = agentStep(nodeImage, instant(this.clock.now()), options);
      if (next !== nodeImage) this.api.seed(nodeImages, next);
    }
  }

  /** Passes, with the agents between them, until `done`. @throws when it takes too long */
  async until(done: () => boolean, what: string, options: AgentOptions = {}): Promise<void> {
    for (let round = 0; round < 200; round += 1) {
      if (done()) return;
      await this.pass();
      this.runAgents(options);
    }
    throw new Error(`not so after 200 rounds: ${what}; ${JSON.stringify(this.api.peekAll(imagePullJobs).map(({ status }) => status))}`);
  }

  isOver(name = 'pull'): boolean {
    return this.job(name)?.status?.completionTime !== undefined;
  }

  /** Writes of all processes to one kind of object, including status. */
  writes(plural: string, key?: ObjectKey): number {
    return this.api.calls.filter(
      (call) => isWrite(call) && call.type?.plural === plural && (key === undefined || key.name === call.key.name),
    ).length;
  }
}
