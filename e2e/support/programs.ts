/** kubectl and Helm, for the cluster under test. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** @throws outside of `npm run e2e` */
export function given(variable: string): string {
  const value = process.env[variable];
  if (value === undefined) throw new Error(`${variable} is not set: these tests run with \`npm run e2e\``);
  return value;
}

/** @returns what kubectl printed. @throws with what it said */
export const kubectl = async (...args: readonly string[]): Promise<string> => (await kubectlAll(...args)).stdout;

/** As {@link kubectl}, with what it said besides. */
export const kubectlAll = (...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  promisify(execFile)(given('KRUISE_E2E_KUBECTL'), ['--kubeconfig', given('KRUISE_E2E_KUBECONFIG'), ...args]);

/** @returns what Helm printed. @throws with what it said */
export async function helm(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(given('KRUISE_E2E_HELM'), ['--kubeconfig', given('KRUISE_E2E_KUBECONFIG'), ...args]);
  return stdout;
}
