/**
 * Account that made a link. Links from before get the actor of the log of changes; a link without a known maker is
 * deleted, and all of them last a day at most.
 */
export const makersOfLinks = {
  name: '0039-makers-of-links',
  up: [
    `ALTER TABLE logon_tokens ADD COLUMN makerKind TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE logon_tokens ADD COLUMN makerId TEXT NOT NULL DEFAULT ''`,
    `UPDATE logon_tokens SET makerId = l.actorPrincipalId,
        makerKind = CASE l.actorPrincipalType WHEN 'user' THEN 'User' ELSE 'ServiceAccount' END
      FROM authorization_change_logs AS l
      WHERE l.owningTenantId = logon_tokens.tenantId AND l.actionType = 'credential-scope-set'
        AND l.targetType = 'LogonToken' AND l.targetId = logon_tokens.id
        AND l.actorPrincipalType IN ('user', 'service-account') AND l.actorPrincipalId IS NOT NULL`,
    `DELETE FROM logon_tokens WHERE makerKind = ''`,
  ],
}
