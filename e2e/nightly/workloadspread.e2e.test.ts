/** Pods that are spread over zones. @see docs/spec/workloadspread.md 9 */
import { afterAll, beforeAll, describe } from '@jest/globals';
import { countingScenarios, placementScenarios } from '../../apps/manager/src/int-tests/fixtures/spread-scenarios.testing.ts';
import type { SpreadFixture } from '../../apps/manager/src/int-tests/fixtures/spread-fixture.testing.ts';
import { closeFixture, openSpreads } from '../support/fixture.ts';

describe('Pods that are spread', () => {
  let fixture: SpreadFixture;
  beforeAll(async () => {
    fixture = await openSpreads('spread', 'example.com/spread-zone');
    await fixture.labelNodes();
  });
  afterAll(async () => {
    await fixture.labelNodes(null);
    await closeFixture(fixture);
  });

  placementScenarios({ fixture: () => fixture });
  countingScenarios({ fixture: () => fixture });
});
