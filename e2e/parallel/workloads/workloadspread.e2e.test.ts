/** Pods that are spread over zones. @see docs/spec/workloadspread.md 9 */
import { afterAll, beforeAll, describe } from '@jest/globals';
import { countingScenarios, placementScenarios } from '../../../apps/manager/src/int-tests/fixtures/spread-scenarios.testing.ts';
import type { SpreadWorld } from '../../../apps/manager/src/int-tests/fixtures/spread-world.testing.ts';
import { closeWorld, openSpreads } from '../../support/world.ts';

describe('Pods that are spread', () => {
  let world: SpreadWorld;
  beforeAll(async () => {
    world = await openSpreads('spread', 'example.com/spread-zone');
    await world.labelNodes();
  });
  afterAll(async () => {
    await world.labelNodes(null);
    await closeWorld(world);
  });

  placementScenarios({ world: () => world });
  countingScenarios({ world: () => world });
});
