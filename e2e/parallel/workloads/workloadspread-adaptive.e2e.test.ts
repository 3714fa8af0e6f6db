/** Subsets in which Pods find no node. @see docs/spec/workloadspread.md 9 */
import { afterAll, beforeAll, describe } from '@jest/globals';
import { scheduleScenarios } from '../../../apps/manager/src/int-tests/fixtures/spread-scenarios.testing.ts';
import type { SpreadFixture } from '../../../apps/manager/src/int-tests/fixtures/spread-fixture.testing.ts';
import { closeFixture, openSpreads } from '../../support/fixture.ts';

describe('Pods that find no node', () => {
  let fixture: SpreadFixture;
  beforeAll(async () => {
    fixture = await openSpreads('spread-adaptive', 'example.com/spread-adaptive-zone');
  });
  afterAll(() => closeFixture(fixture));

  scheduleScenarios({ fixture: () => fixture });
});
