/** Subsets in which Pods find no node. @see docs/spec/workloadspread.md 9 */
import { afterAll, beforeAll, describe } from '@jest/globals';
import { scheduleScenarios } from '../../../apps/manager/src/int-tests/fixtures/spread-scenarios.testing.ts';
import type { SpreadWorld } from '../../../apps/manager/src/int-tests/fixtures/spread-world.testing.ts';
import { closeFixture, openSpreads } from '../../support/fixture.ts';

describe('Pods that find no node', () => {
  let fixture: SpreadWorld;
  beforeAll(async () => {
    fixture = await openSpreads('spread-adaptive', 'example.com/spread-adaptive-zone');
  });
  afterAll(() => closeFixture(fixture));

  scheduleScenarios({ fixture: () => fixture });
});
