import { networkInterfaces } from 'node:os'

/** True if a listening address covers every interface. */
export const isEveryInterface = (host: string): boolean => host === '*' || host === '0.0.0.0' || host === '::'

/** True if a listening address is reachable from this machine only. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/** Current addresses of this machine for other machines; without link-local IPv6 addresses. */
export const addressesOfMachine = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address)
