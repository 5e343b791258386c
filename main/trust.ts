import type { Session } from 'electron'

/** Chromium's words for a certificate that is taken, and for one that is not. */
const trusted = 0
const refused = -2

/**
 * The window calls one server alone, the one of this process: at its host the certificate has to be over the key that
 * this process shows, whoever issued it, and at any other host none will do.
 */
export function trustOwnServer(
  session: Session,
  serverUrl: () => string | null,
  isOwnCertificate: (pem: string) => Promise<boolean>,
): void {
  session.setCertificateVerifyProc(({ hostname, certificate }, answer) => {
    const url = URL.parse(serverUrl() ?? '')
    const isOurHost = url?.protocol === 'https:' && url.hostname.replace(/^\[|\]$/g, '') === hostname
    const decision = isOurHost ? isOwnCertificate(certificate.data) : Promise.resolve(false)
    decision.then(
      (isOwn) => answer(isOwn ? trusted : refused),
      () => answer(refused),
    )
  })
}
