/**
 * What the creation of Pods notices of a replica of the manager that is killed on its node. KRUISE_STORM_KILLS (1), KRUISE_STORM_PER_SECOND (30) and
 * KRUISE_STORM_REPORT make it longer and harder, and say what happened.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pods, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import {
  lostFirstCalls,
  otherRefusals,
  refusals,
  report,
  stormDuring,
  type StormSettings,
} from '../../apps/manager/src/int-tests/fixtures/pod-storm.testing.ts';
import { killProcessesOf, processesOf } from '../support/container-processes.ts';
import { closeFixture, openFixture } from '../support/fixture.ts';
import { Managers, managerNamespace } from '../support/managers.ts';

const kills = Number(process.env['KRUISE_STORM_KILLS'] ?? 1);
const perSecond = Number(process.env['KRUISE_STORM_PER_SECOND'] ?? 30);

describe('the Pod webhook while a replica is killed', () => {
  let fixture: CloneSetFixture;
  let managers: Managers;

  beforeAll(async () => {
    fixture = await openFixture('webhook-kill');
    managers = new Managers(fixture.client);
  });
  afterAll(() => closeFixture(fixture));

  it(
    'refuses Pods of which both calls were lost and no others, lets none pass unserved, and refuses none once that is over',
    async () => {
      for (let kill = 1; kill <= kills; kill++) {
        await fixture.eventually(() => managers.bothReady(), 'two ready replicas');
        const victim = (await managers.replicas())[kill % 2] as Pod;
        const storm: StormSettings = { client: fixture.client, namespace: fixture.namespace, perSecond };
        const before = await lostFirstCalls(fixture.client);
        const during = await stormDuring(storm, async () => {
          killProcessesOf(victim);
          await sleep(3000);
        });
        const lost = (await lostFirstCalls(fixture.client)) - before;
        report(`kill ${kill} of ${kills}, ${lost} first calls lost`, during);
        expect(otherRefusals(during)).toEqual([]);
        expect(refusals(during)).toBeLessThanOrEqual(lost);
        // A new Pod: the one that was killed is started again later each time.
        await fixture.client.delete(pods, { namespace: managerNamespace, name: victim.metadata.name }, { gracePeriodSeconds: 0 });
        await fixture.eventually(
          async () => processesOf(victim).length === 0 && (await managers.bothReady()),
          'two ready replicas again, and no third',
        );
        const after = await stormDuring(storm, (created) =>
          fixture.eventually(async () => created() > perSecond, `${perSecond} Pods more`),
        );
        expect(after.refused).toEqual({});
        expect(after.created).toBeGreaterThan(perSecond);
      }
    },
    120_000 + kills * 60_000,
  );
});
