/** The other tenant of a cluster with a hostile one: it scales a CloneSet and creates Pods that the webhooks are asked about, one after the other. */
import { pods } from '@kruise/objects';
import type { CloneSetFixture } from '../fixtures/cloneset-fixture.testing.ts';

const image = 'registry.example/app:1';
/** Pods between two times that the CloneSet is scaled. */
const podsPerRound = 4;

/** Pods with this label have a sidecar injected. */
export const victimSidecarSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'victim' },
  spec: { selector: { matchLabels: { app: 'bare' } }, containers: [{ name: 'side', image: 'registry.example/side:1' }] },
};

/** Milliseconds, as the tenant sees them. */
export interface VictimTimes {
  /** Of each creation of a Pod. */
  readonly creationsMs: readonly number[];
  /** Until the CloneSet was scaled by one. */
  readonly scalingMs: number;
}

export class Victim {
  readonly fixture: CloneSetFixture;
  #steps = 0;

  private constructor(fixture: CloneSetFixture) {
    this.fixture = fixture;
  }

  static async create(fixture: CloneSetFixture): Promise<Victim> {
    await fixture.apply({ name: 'web', replicas: 1, image });
    await fixture.untilRolledOut('web');
    return new Victim(fixture);
  }

  /** All of it must be done as on any day. */
  async work(): Promise<VictimTimes> {
    const { client, namespace } = this.fixture;
    const creationsMs: number[] = [];
    for (let index = 0; index < podsPerRound; index += 1) {
      const metadata = { namespace, name: `bare-${(this.#steps += 1)}`, labels: { app: 'bare' } };
      const began = performance.now();
      await client.create(pods, { metadata, spec: { containers: [{ name: 'main', image }] } });
      creationsMs.push(performance.now() - began);
      await client.delete(pods, metadata, { gracePeriodSeconds: 0 });
    }
    this.#steps += 1;
    const began = performance.now();
    await this.fixture.patch('web', { spec: { replicas: 1 + (this.#steps % 2) } });
    await this.fixture.untilRolledOut('web');
    return { creationsMs, scalingMs: performance.now() - began };
  }

  /** Works until `other` is over, and once more. */
  async workBeside<T>(other: Promise<T>): Promise<{ readonly result: T; readonly rounds: readonly VictimTimes[] }> {
    const rounds: VictimTimes[] = [];
    let isOver = false;
    const working = async (): Promise<void> => {
      do rounds.push(await this.work());
      while (!isOver);
    };
    const [result] = await Promise.all([other.finally(() => (isOver = true)), working()]);
    rounds.push(await this.work());
    return { result, rounds };
  }
}
