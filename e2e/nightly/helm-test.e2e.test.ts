/** `helm test` runs the check of the plugin in a Pod, and leaves none of its rights behind. @see docs/spec/helm-chart.md 12 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { helm, kubectl } from '../support/programs.ts';
import { untilWebhooksAnswer } from '../support/webhooks.ts';
import { closeFixture, openFixture } from '../support/fixture.ts';

const system = 'kruise-system';
const manager = 'deployment/kruise-controller-manager';
const rights = 'serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings';

describe('helm test', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('helm-test');
  });
  afterAll(() => closeFixture(fixture));

  const test = (...args: readonly string[]): Promise<string> => helm('test', 'kruise', '--namespace', 'default', ...args);
  /** Objects of the test. */
  const left = async (kinds: string): Promise<readonly string[]> =>
    (await kubectl('get', kinds, '-A', '-o', 'name')).split('\n').filter((name) => name.includes('kruise-check'));
  const scale = async (replicas: number): Promise<void> => {
    await kubectl('-n', system, 'scale', manager, `--replicas=${replicas}`);
    await kubectl('-n', system, 'rollout', 'status', manager, '--timeout=180s');
  };

  it('succeeds for an installation that works, and leaves neither the Pod nor its rights', async () => {
    expect(await test()).toMatch(/Phase: +Succeeded/);
    expect(await left(`pods,${rights}`)).toEqual([]);
  });

  it('fails while no manager runs: the log of the Pod names the fault, and no right is left', async () => {
    await scale(0);
    try {
      await expect(test()).rejects.toThrow(/kruise-check/);
      const log = await kubectl('-n', system, 'logs', 'pod/kruise-check');
      expect(log).toContain(`Deployment ${system}/kruise-controller-manager has 0 replicas.`);
      expect(log).toContain('timed out waiting for a sound installation');
      expect(await left(rights)).toEqual([]);
    } finally {
      await scale(2);
      await untilWebhooksAnswer(fixture);
    }
  });

  it('succeeds again once the fault is repaired, with a new Pod', async () => {
    expect(await test()).toMatch(/Phase: +Succeeded/);
    expect(await left(`pods,${rights}`)).toEqual([]);
  });
});
