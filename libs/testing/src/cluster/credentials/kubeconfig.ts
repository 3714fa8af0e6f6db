/** kubeconfig files with client certificates. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type KeyPair } from './certificates.ts';

export interface KubeconfigInput {
  readonly server: string;
  readonly certificateAuthorityPem: string;
  readonly user: string;
  readonly credentials: KeyPair;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Returns a kubeconfig that refers to no other file, as JSON (which is YAML), members sorted as kubectl writes them. */
export function renderKubeconfig(input: KubeconfigInput): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'kruise', cluster: { server: input.server, 'certificate-authority-data': base64(input.certificateAuthorityPem) } }],
    contexts: [{ name: 'kruise', context: { cluster: 'kruise', user: input.user } }],
    'current-context': 'kruise',
    users: [
      {
        name: input.user,
        user: { 'client-certificate-data': base64(input.credentials.certificatePem), 'client-key-data': base64(input.credentials.keyPem) },
      },
    ],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/** Writes secrets, readable only by the owner. */
export function writePrivate(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
}

export interface Access {
  readonly server: string;
  readonly certificateAuthorityPem: string;
  readonly credentials: KeyPair;
}

/** Parses the output of {@link renderKubeconfig}. */
export function parseKubeconfig(text: string): Access {
  const config = JSON.parse(text) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
    users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
  };
  const [cluster, user] = [config.clusters[0].cluster, config.users[0].user];
  const plain = (data: string): string => Buffer.from(data, 'base64').toString();
  return {
    server: cluster.server,
    certificateAuthorityPem: plain(cluster['certificate-authority-data']),
    credentials: { certificatePem: plain(user['client-certificate-data']), keyPem: plain(user['client-key-data']) },
  };
}
