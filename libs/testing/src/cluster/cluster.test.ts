import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { clusterFolder, isClusterRunning, stopCluster } from './cluster.ts';
import { explainMissing } from './host/host-commands.ts';

describe('clusterFolder', () => {
  it('is below the state folder of the user', () => {
    expect(clusterFolder({}, { HOME: '/h' })).toEqual({ name: 'default', dir: '/h/.local/state/kruise/clusters/default' });
    expect(clusterFolder({ name: 'a' }, { HOME: '/h', XDG_STATE_HOME: '/s' }).dir).toBe('/s/kruise/clusters/a');
    expect(clusterFolder({ dir: '/x' }, { HOME: '/h' }).dir).toBe('/x');
  });

  it.each(['', 'A', '-a', 'a/b', 'a'.repeat(21)])('refuses the name %j', (name) => {
    expect(() => clusterFolder({ name }, { HOME: '/h' })).toThrow('must be 1 to 20 lower-case letters');
  });

  it('refuses a folder whose sockets would not have a valid path', () => {
    expect(() => clusterFolder({ dir: `/${'d'.repeat(70)}` })).toThrow('choose another with --dir');
  });
});

describe('stopCluster', () => {
  it('does nothing when there is no cluster', async () => {
    expect(await stopCluster({ dir: '/nonexistent/cluster' })).toBe(false);
    expect(isClusterRunning('/nonexistent/cluster')).toBe(false);
  });

  it('does not remove a folder that is no cluster', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'kruise-no-cluster-'));
    writeFileSync(join(dir, 'precious'), '');
    await expect(stopCluster({ dir })).rejects.toThrow('nothing was removed');
    rmSync(dir, { recursive: true });
  });
});

it('a machine that lacks commands gets a message with them, the reason and what to install', () => {
  const text = explainMissing(['containerd', 'containerd-shim-runc-v2', 'nft'], 'KRUISE_NO_INSTALL=1 forbids it');
  expect(text).toContain('containerd, containerd-shim-runc-v2, nft');
  expect(text).toContain('because KRUISE_NO_INSTALL=1 forbids it');
  expect(text).toContain('apt-get install containerd nftables');
});
