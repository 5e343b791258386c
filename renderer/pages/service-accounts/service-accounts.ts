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
    list: (signal: AbortSignal) => api.tenantAccounts.list({ params: { tenantId } }, signal),
    get: (serviceAccountId: string, signal: AbortSignal) =>
      api.tenantAccounts.get({ params: { tenantId, serviceAccountId } }, signal),
    create: (body: AccountFields, _accessMode: 'Restricted' | 'Unrestricted') =>
      api.tenantAccounts.create({ params: { tenantId }, body }),
    update: (serviceAccountId: string, body: AccountFields & { isEnabled?: boolean }) =>
      api.tenantAccounts.update({ params: { tenantId, serviceAccountId }, body }),
    remove: (serviceAccountId: string) => api.tenantAccounts.delete({ params: { tenantId, serviceAccountId } }),
    createKey: (serviceAccountId: string, body: { name: string; expiresAt: string | null }) =>
      api.tenantAccounts.createCredential({ params: { tenantId, serviceAccountId }, body }),
    revokeKey: (serviceAccountId: string, credentialId: string) =>
      api.tenantAccounts.revokeCredential({ params: { tenantId, serviceAccountId, credentialId } }),
    purgeKey: (serviceAccountId: string, credentialId: string) =>
      api.tenantAccounts.purgeCredential({ params: { tenantId, serviceAccountId, credentialId } }),
  }),
  server: () => ({
    list: (signal: AbortSignal) => api.serverAccounts.list({}, signal),
    get: (serviceAccountId: string, signal: AbortSignal) =>
      api.serverAccounts.get({ params: { serviceAccountId } }, signal),
    create: (body: AccountFields, accessMode: 'Restricted' | 'Unrestricted') =>
      api.serverAccounts.create({ body: { ...body, accessMode } }),
    update: (serviceAccountId: string, body: AccountFields & { isEnabled?: boolean }) =>
      api.serverAccounts.update({ params: { serviceAccountId }, body }),
    remove: (serviceAccountId: string) => api.serverAccounts.delete({ params: { serviceAccountId } }),
    createKey: (serviceAccountId: string, body: { name: string; expiresAt: string | null }) =>
      api.serverAccounts.createCredential({ params: { serviceAccountId }, body }),
    revokeKey: (serviceAccountId: string, credentialId: string) =>
      api.serverAccounts.revokeCredential({ params: { serviceAccountId, credentialId } }),
    purgeKey: (serviceAccountId: string, credentialId: string) =>
      api.serverAccounts.purgeCredential({ params: { serviceAccountId, credentialId } }),
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
