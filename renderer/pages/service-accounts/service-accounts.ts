import { queryOptions } from '@tanstack/react-query'
import type {
  ServerServiceAccountResponseDto,
  ServiceAccountCredentialResponseDto,
  TenantServiceAccountResponseDto,
} from '../../../shared/dtos/service-account.ts'
import type { PermissionName } from '../../../shared/access.ts'
import { api } from '../../api/http.ts'

export type Owner = 'tenant' | 'server'
export type Key = ServiceAccountCredentialResponseDto
/** An account of the organization or of the server. */
export type ServiceAccount = TenantServiceAccountResponseDto &
  Partial<Pick<ServerServiceAccountResponseDto, 'accessMode'>> & { owner: Owner }

const refreshMs = 10_000
const queryKey = 'service-accounts'

/** Rights that each part of the page needs. */
export const serviceAccountRights = {
  tenant: {
    read: 'service-account.read',
    write: 'service-account.write',
    keys: 'service-account.rotate-credentials',
  },
  server: {
    read: 'server.service-accounts.read',
    write: 'server.service-accounts.write',
    keys: 'server.service-accounts.rotate-credentials',
  },
} as const satisfies Record<Owner, Record<string, PermissionName>>

interface AccountFields {
  name: string
  description: string | null
}

/** Requests about accounts of one owner; both have the same. */
const doors = {
  tenant: (tenantId: string) => ({
    list: (signal: AbortSignal) => api.tenantServiceAccounts.list({ params: { tenantId } }, signal),
    get: (serviceAccountId: string, signal: AbortSignal) =>
      api.tenantServiceAccounts.get({ params: { tenantId, serviceAccountId } }, signal),
    create: (body: AccountFields, _accessMode: 'Restricted' | 'Unrestricted') =>
      api.tenantServiceAccounts.create({ params: { tenantId }, body }),
    update: (serviceAccountId: string, body: AccountFields & { isEnabled?: boolean }) =>
      api.tenantServiceAccounts.update({ params: { tenantId, serviceAccountId }, body }),
    remove: (serviceAccountId: string) => api.tenantServiceAccounts.delete({ params: { tenantId, serviceAccountId } }),
    createKey: (serviceAccountId: string, body: { name: string; expiresAt: string | null }) =>
      api.tenantServiceAccounts.createCredential({ params: { tenantId, serviceAccountId }, body }),
    revokeKey: (serviceAccountId: string, credentialId: string) =>
      api.tenantServiceAccounts.revokeCredential({ params: { tenantId, serviceAccountId, credentialId } }),
    purgeKey: (serviceAccountId: string, credentialId: string) =>
      api.tenantServiceAccounts.purgeCredential({ params: { tenantId, serviceAccountId, credentialId } }),
  }),
  server: () => ({
    list: (signal: AbortSignal) => api.serverServiceAccounts.list({}, signal),
    get: (serviceAccountId: string, signal: AbortSignal) =>
      api.serverServiceAccounts.get({ params: { serviceAccountId } }, signal),
    create: (body: AccountFields, accessMode: 'Restricted' | 'Unrestricted') =>
      api.serverServiceAccounts.create({ body: { ...body, accessMode } }),
    update: (serviceAccountId: string, body: AccountFields & { isEnabled?: boolean }) =>
      api.serverServiceAccounts.update({ params: { serviceAccountId }, body }),
    remove: (serviceAccountId: string) => api.serverServiceAccounts.delete({ params: { serviceAccountId } }),
    createKey: (serviceAccountId: string, body: { name: string; expiresAt: string | null }) =>
      api.serverServiceAccounts.createCredential({ params: { serviceAccountId }, body }),
    revokeKey: (serviceAccountId: string, credentialId: string) =>
      api.serverServiceAccounts.revokeCredential({ params: { serviceAccountId, credentialId } }),
    purgeKey: (serviceAccountId: string, credentialId: string) =>
      api.serverServiceAccounts.purgeCredential({ params: { serviceAccountId, credentialId } }),
  }),
}

export const doorOf = (owner: Owner, tenantId: string) => doors[owner](tenantId)

export const serviceAccountQueries = {
  all: [queryKey],
  list: (owner: Owner, tenantId: string) =>
    queryOptions({
      queryKey: [queryKey, owner, tenantId],
      queryFn: async ({ signal }): Promise<ServiceAccount[]> =>
        (await doorOf(owner, tenantId).list(signal)).items.map((account) => ({ ...account, owner })),
      refetchInterval: refreshMs,
    }),
  one: (owner: Owner, tenantId: string, id: string) =>
    queryOptions({
      queryKey: [queryKey, owner, tenantId, id],
      queryFn: async ({ signal }): Promise<ServiceAccount> => ({
        ...(await doorOf(owner, tenantId).get(id, signal)),
        owner,
      }),
      refetchInterval: refreshMs,
    }),
}

/** A key works until it is revoked or its end has come. */
export const keyStateOf = ({ revokedAt, expiresAt }: Key, now: number) =>
  revokedAt !== null ? 'revoked' : expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'active'

export const lastUseOf = ({ credentials }: ServiceAccount) =>
  credentials
    .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    .toSorted()
    .at(-1)
