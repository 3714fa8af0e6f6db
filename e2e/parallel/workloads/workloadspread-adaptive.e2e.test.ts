/** Subsets in which Pods find no node. @see docs/spec/workloadspread.md 9 */
import { afterAll, beforeAll, describe } from '@jest/globals';
import { scheduleScenarios } from '../../../apps/manager/src/int-tests/fixtures/spread-scenarios.testing.ts';
import type { SpreadWorld } from '../../../apps/manager/src/int-tests/fixtures/spread-world.testing.ts';
import { closeWorld, openSpreads } from '../../support/world.ts';

describe('Pods that find no node', () => {
  let world: SpreadWorld;
  beforeAll(async () => {
    world = await openSpreads('spread-adaptive', 'example.com/spread-adaptive-zone');
  });
  afterAll(() => closeWorld(world));

  scheduleScenarios({ world: () => world });
});
