/** Before the tests of a stage: the managers run with its gates. */
import { ensureGates } from './manager-gates.ts';
import { given } from './programs.ts';

// eslint-disable-next-line no-restricted-syntax -- Jest requires a default export
export default async function setUp(): Promise<void> {
  await ensureGates(given('KRUISE_E2E_GATES'));
}
