import { IconLock } from '@tabler/icons-react'
import type { PermissionName } from '../../shared/access.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'
import * as t from '../texts.ts'
import { EmptyState } from './empty-state.tsx'

/** Shown in place of a page that the person may not open; any of the rights would do. */
export const NoRight = ({ page, rights }: { page: string; rights: readonly PermissionName[] }) => (
  <EmptyState
    icon={IconLock}
    title={page}
    hint={t.common.noRight(rights.map((name) => permissionTexts[name].displayName))}
  />
)
