/** Jest's sequencer of the integration tests. */
import { relative } from 'node:path';
import { longestFirst } from './longest-first.ts';
import { root } from './run-program.ts';

/** Seconds of each longer file, measured in a run with four workers on two cores. Only the order depends on them. */
const seconds: Readonly<Record<string, number>> = {
  'apps/manager/src/int-tests/faults.int.test.ts': 300,
  'apps/manager/src/kinds/workloadspread/controller.int.test.ts': 300,
  'apps/manager/src/kinds/resourcedistribution/faults.int.test.ts': 200,
  'apps/manager/src/kinds/sidecarset/controller.int.test.ts': 150,
  'apps/manager/src/int-tests/apply-twice.int.test.ts': 150,
  'apps/manager/src/int-tests/webhook-failsafe.int.test.ts': 150,
  'apps/manager/src/kinds/uniteddeployment/refusals.int.test.ts': 120,
  'apps/manager/src/int-tests/image-pull.int.test.ts': 120,
  'apps/manager/src/kinds/resourcedistribution/controller.int.test.ts': 120,
  'apps/daemon/src/images/images.int.test.ts': 100,
  'apps/manager/src/kinds/uniteddeployment/controller.int.test.ts': 100,
  'apps/manager/src/int-tests/late-kinds.int.test.ts': 90,
  'apps/daemon/src/recreate/killed.int.test.ts': 60,
  'apps/manager/src/int-tests/budget-race.int.test.ts': 60,
  'libs/kube/src/reflector/set-back.int.test.ts': 60,
  'tools/chart/install.int.test.ts': 60,
  'apps/manager/src/int-tests/webhook-callers.int.test.ts': 50,
  'apps/daemon/src/runtime-shapes.int.test.ts': 50,
  'apps/manager/src/int-tests/clock.int.test.ts': 50,
  'apps/manager/src/int-tests/conversion.int.test.ts': 40,
};
const usual = 15;

// eslint-disable-next-line no-restricted-syntax -- Jest asks for a default export
export default longestFirst((path) => seconds[relative(root, path)] ?? usual);
