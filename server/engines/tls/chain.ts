import type { X509Certificate } from 'node:crypto'

/** Orders a chain: the leaf first, then its issuers, as far as the file contains them. */
export function chainOf(leaf: X509Certificate, certificates: readonly X509Certificate[]): X509Certificate[] {
  const chain = [leaf]
  for (;;) {
    const last = chain.at(-1)
    const issuer = certificates.find((each) => !chain.includes(each) && last?.checkIssued(each))
    if (!issuer) {
      return chain
    }
    chain.push(issuer)
  }
}
