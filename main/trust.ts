import type { Session } from 'electron'

/** Chromium's result codes for an accepted and a rejected certificate. */
const trusted = 0
const refused = -2

/**
 * Trusts only the server of this process: at its host, any certificate with the key that this process presents, whoever
 * issued it; at other hosts, none.
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
