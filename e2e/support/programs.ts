/** kubectl, Helm and the plugin, for the cluster under test. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { shippedFlags } from '@kruise/testing';

const plugin = join(import.meta.dirname, '../../apps/kubectl-kruise/src/main.ts');

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

/** Runs the plugin from its sources. @returns what it printed. @throws with what it said */
export async function kruise(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', KUBECONFIG: given('KRUISE_E2E_KUBECONFIG') };
  const { stdout } = await promisify(execFile)(process.execPath, [...shippedFlags('manager'), plugin, ...args], { env });
  return stdout;
}
