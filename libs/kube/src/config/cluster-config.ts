/** How to reach one API server and with which user, in one plain record, read from a kubeconfig context or from a Pod's service account. */

/** PEM text, or a file that is read for every new connection, so that it may be rotated. */
export type Pem = { readonly data: string } | { readonly file: string };

/** An exec credential plugin, `users[].user.exec` of a kubeconfig. */
export interface ExecConfig {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Shown when the command cannot be started. */
  readonly installHint: string;
  /** Whether the plugin receives the server's address and CA. */
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
}

/** An `auth-provider` called `oidc`: an ID token, and how it is renewed. */
export interface OidcConfig {
  /** The kubeconfig, to which new tokens are written. */
  readonly file: string;
  /** The name of the user in the kubeconfig. */
  readonly user: string;
  /** An https URL, `idp-issuer-url`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Of the issuer. The CAs that Node trusts when absent. */
  readonly certificateAuthority?: Pem;
  readonly idToken?: string;
  /** Without it, the ID token is used until it expires. */
  readonly refreshToken?: string;
}

/**
 * The credentials of a user. Several may be set; a bearer token comes from the first of `tokenFile`, `token`, `exec`, `oidc`. Holds secrets: never log it.
 */
export interface UserAuth {
  readonly clientCertificate?: { readonly certificate: Pem; readonly key: Pem };
  readonly token?: string;
  /** A file that is read again every minute. */
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecConfig;
  readonly oidc?: OidcConfig;
}

/** The user that calls are made as, in place of the authenticated one (`Impersonate-*` headers). */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Everything that a client needs to connect, whichever file it was read from. */
export interface ClusterConfig {
  /** URL of the API server. A path in it is put before every request's path. */
  readonly server: string;
  /** The CAs that Node trusts when absent. */
  readonly certificateAuthority?: Pem;
  readonly insecureSkipTlsVerify?: boolean;
  /** The name to expect in the server's certificate, when it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** `http`, `https` or `socks5` URL. HTTPS_PROXY and NO_PROXY decide when absent. */
  readonly proxyUrl?: string;
  readonly user: UserAuth;
  readonly impersonate?: Impersonation;
  /** Namespace of the context or of the Pod, `default` when none is given. */
  readonly namespace: string;
}

/** A configuration that cannot be used. The message is one line that names the place, the field and the allowed values, and contains no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** No configuration was found at any of the places where one may be. */
export class ConfigAbsent extends ConfigError {}
