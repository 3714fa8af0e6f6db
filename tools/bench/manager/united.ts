/** The phases of a UnitedDeployment on simulated nodes: what a change costs, and how many children it touches. */
import { cloneSets, unitedDeploymentLabels, unitedDeployments, type UnitedDeployment } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { events } from '@kruise/objects';
import { writesAbout } from './api-server-requests.ts';
import { cloneSet, image, namespace } from './clone-set.ts';
import { writesOf, type Phase, type PhaseResult } from './phase.ts';
import { onStage, runPhases, type StageOptions } from './stage.ts';

export interface UnitedOptions extends StageOptions {
  readonly subsets: number;
}

/** One change. */
export interface UnitedPhase {
  readonly phase: PhaseResult;
  /** Children whose spec was written. */
  readonly touched: number;
  /** Of the manager, without events, which may be joined or lost. */
  readonly writes: number;
}

const name = 'web';

/** With the template of the benchmarks' CloneSet. */
function united(pods: number, subsets: number): UnitedDeployment {
  const { selector, template, updateStrategy } = cloneSet(1).spec;
  const labels = { app: name };
  return {
    metadata: { namespace, name },
    spec: {
      replicas: pods,
      selector: { matchLabels: labels },
      template: { cloneSetTemplate: { metadata: { labels }, spec: { selector, template, updateStrategy } } },
      topology: { subsets: Array.from({ length: subsets }, (_, i) => ({ name: `zone-${i}` })) },
    },
  } as unknown as UnitedDeployment;
}

class United {
  readonly #client: Client;
  readonly #pods: number;
  readonly #subsets: number;

  constructor(client: Client, { pods, subsets }: Pick<UnitedOptions, 'pods' | 'subsets'>) {
    this.#client = client;
    this.#pods = pods;
    this.#subsets = subsets;
  }

  get phases(): readonly Phase[] {
    const timeoutMs = 120_000 + this.#pods * 200;
    const template = '/spec/template/cloneSetTemplate/spec/template/spec/containers/0/image';
    const of = (what: string): string => `UnitedDeployment, ${this.#subsets} subsets, ${this.#pods} Pods: ${what}`;
    return [
      {
        name: of('create'),
        begin: () => this.#client.create(unitedDeployments, united(this.#pods, this.#subsets)),
        isOver: () => this.#isDone(this.#pods),
        timeoutMs,
      },
      {
        name: of('one Pod more'),
        begin: () => this.#replace('/spec/replicas', this.#pods + 1),
        isOver: () => this.#isDone(this.#pods + 1),
        timeoutMs,
      },
      {
        name: of('one Pod less'),
        begin: () => this.#replace('/spec/replicas', this.#pods),
        isOver: () => this.#isDone(this.#pods),
        timeoutMs,
      },
      { name: of('update in place'), begin: () => this.#replace(template, image(2)), isOver: () => this.#isDone(this.#pods), timeoutMs },
    ];
  }

  /** `metadata.generation` of every child. */
  async generations(): Promise<ReadonlyMap<string, number>> {
    const { items } = await this.#client.list(cloneSets, { namespace, labelSelector: unitedDeploymentLabels.subsetName });
    return new Map(items.map(({ metadata }) => [metadata.name, metadata.generation ?? 0]));
  }

  #replace(path: string, value: unknown): Promise<unknown> {
    return this.#client.patch(unitedDeployments, { namespace, name }, [{ op: 'replace', path, value }], { type: 'json' });
  }

  async #isDone(pods: number): Promise<boolean> {
    const { metadata, status } = await this.#client.get(unitedDeployments, { namespace, name });
    return (
      status?.observedGeneration === metadata.generation &&
      status?.replicas === pods &&
      status.updatedReadyReplicas === pods &&
      status.currentRevision === status.updatedRevision
    );
  }
}

/** Writes of events but for those of the scheduler, which writes one for each Pod that it places. */
async function eventWrites(client: Client): Promise<number> {
  const { items } = await client.list(events, { namespace, fieldSelector: 'reason=Scheduled' });
  return (await writesAbout(client, 'events')) - items.length;
}

/** Runs through the phases. */
export const measureUnited = ({ subsets, ...options }: UnitedOptions): Promise<readonly UnitedPhase[]> =>
  onStage({ ...options, pods: options.pods + 1 }, [], async ({ client, instruments }) => {
    const life = new United(client, { pods: options.pods, subsets });
    const results: UnitedPhase[] = [];
    for (const one of life.phases) {
      const before = await life.generations();
      const eventsBefore = await eventWrites(client);
      const [phase] = await runPhases([one], instruments, options.progress);
      const written = (await eventWrites(client)) - eventsBefore;
      const after = await life.generations();
      if (phase === undefined) throw new Error('nothing was measured');
      results.push({
        phase,
        touched: [...after].filter(([child, generation]) => before.get(child) !== generation).length,
        writes: writesOf(phase) - written,
      });
    }
    return results;
  });
