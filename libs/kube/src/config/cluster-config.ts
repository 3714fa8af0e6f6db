/** How to reach one API server and as whom: what a kubeconfig context or a pod's service account says, in one plain record. */

/** PEM text given directly, or a file that is read at every new connection (so that it may be rotated). */
export type Pem = { readonly data: string } | { readonly file: string };

/** An exec credential plugin, `users[].user.exec` of a kubeconfig. */
export interface ExecConfig {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Shown when the command cannot be started. */
  readonly installHint: string;
  /** Tells the plugin the server and its CA. */
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
}

/**
 * As whom to speak. Several may be set; a bearer token comes from the first of `tokenFile`, `token`, `exec`.
 * Holds secrets: never log it.
 */
export interface UserAuth {
  readonly clientCertificate?: { readonly certificate: Pem; readonly key: Pem };
  readonly token?: string;
  /** Read again every minute. */
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecConfig;
}

/** As whom calls are made in place of the user itself (`Impersonate-*` headers). */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Everything that a client needs to connect, whichever file it came from. */
export interface ClusterConfig {
  /** URL of the API server; a path in it is put before every request's path. */
  readonly server: string;
  /** Absent: the CAs that Node trusts. */
  readonly certificateAuthority?: Pem;
  readonly insecureSkipTlsVerify?: boolean;
  /** Name to expect in the server's certificate, when it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** `http`, `https` or `socks5` URL. Absent: HTTPS_PROXY and NO_PROXY decide. */
  readonly proxyUrl?: string;
  readonly user: UserAuth;
  readonly impersonate?: Impersonation;
  /** Namespace of the context or of the pod; 'default' when none is said. */
  readonly namespace: string;
}

/** A configuration that cannot be used. The message is one line that names the place, the field and what is allowed, and holds no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
