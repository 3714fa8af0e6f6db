import type { CriCaller, CriCallOptions } from '../cri-channel.ts';

/** The image to pull, the credentials, and the Pod that needs it. */
export interface PullImageRequest {
  readonly imageRef: string;
  /** Anonymous when absent. */
  readonly auth?: { readonly username: string; readonly password: string };
  /** What the runtime receives about the Pod for which it pulls the image. */
  readonly sandbox: { readonly labels: Readonly<Record<string, string>>; readonly annotations: Readonly<Record<string, string>> };
}

/**
 * Downloads and unpacks an image, without a time limit of its own. When the call ends early, the runtime stops too and keeps what it has for the next
 * time.
 *
 * @returns the id of the image
 */
export async function pullImage(
  cri: CriCaller,
  { imageRef, auth, sandbox }: PullImageRequest,
  options: CriCallOptions = {},
): Promise<string> {
  const { imageRef: id } = await cri.call<{ readonly imageRef: string }>(
    'PullImage',
    { image: { image: imageRef }, auth, sandboxConfig: sandbox },
    { timeoutMs: 0, ...options },
  );
  return id;
}
