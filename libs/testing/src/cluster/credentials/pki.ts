/** The cluster's keys and certificates as files. */
import { join } from 'node:path';
import { type Authority, type Subject, createAuthority, createSigningKeyPem, issueCertificate } from './certificates.ts';
import { renderKubeconfig, writePrivate } from './kubeconfig.ts';

export interface Pki {
  /** Folder of `ca.crt` and, for each name issued, `<name>.crt` and `<name>.key`. */
  readonly folder: string;
  readonly authority: Authority;
  readonly server: string;
}

/** Creates an authority and the files that every control plane needs. Earlier files in the folder are overwritten. */
export function createPki(dir: string, server: string, apiServer: Pick<Subject, 'dnsNames' | 'ipAddresses'>): Pki {
  const pki = { folder: join(dir, 'pki'), authority: createAuthority('kruise-cluster'), server };
  writePrivate(join(pki.folder, 'ca.crt'), pki.authority.certificatePem);
  writePrivate(join(pki.folder, 'service-accounts.key'), createSigningKeyPem());
  issueFiles(pki, 'kube-apiserver', { commonName: 'kube-apiserver', ...apiServer });
  issueFiles(pki, 'front-proxy', { commonName: 'front-proxy' });
  issueFiles(pki, 'kubelet-client', { commonName: 'kubelet-client', organizations: ['system:masters'] });
  return pki;
}

/** Writes `<name>.crt` and `<name>.key`. */
export function issueFiles(pki: Pki, name: string, subject: Subject): void {
  const issued = issueCertificate(pki.authority, subject);
  writePrivate(join(pki.folder, `${name}.crt`), issued.certificatePem);
  writePrivate(join(pki.folder, `${name}.key`), issued.keyPem);
}

/** Writes a kubeconfig at `path` for a new certificate of that user. @returns `path` */
export function writeKubeconfig(pki: Pki, path: string, user: Pick<Subject, 'commonName' | 'organizations'>): string {
  const credentials = issueCertificate(pki.authority, user);
  writePrivate(
    path,
    renderKubeconfig({ server: pki.server, certificateAuthorityPem: pki.authority.certificatePem, user: user.commonName, credentials }),
  );
  return path;
}
