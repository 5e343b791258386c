import type { ComponentType, ReactNode } from 'react'
import type { PermissionName } from '../../shared/access.ts'
import { usePageTitle } from '../hooks/use-page-title.ts'
import { useSession } from '../hooks/use-session.ts'
import { NoRight } from './no-right.tsx'
import { NotFound } from './not-found.tsx'
import { PageTabs } from './page-tabs.tsx'

export interface PagePart {
  path: string
  label: string
  /** Any of these opens the part. */
  permissions?: readonly PermissionName[]
  Content: ComponentType<{ tabs: ReactNode }>
}

interface PageInPartsProps {
  title: string
  /** Name of the tabs. */
  label: string
  parts: Readonly<Record<string, PagePart>>
  /** Name of the part that the address asks for. */
  name: string
}

/** Page in parts, each with an address and rights of its own; the tabs are those that the person may open. */
export function PageInParts({ title, label, parts, name }: PageInPartsProps) {
  usePageTitle(title)
  const { can } = useSession()
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined
  const mayOpen = ({ permissions }: PagePart) => permissions?.some(can) ?? true
  if (!part) {
    return <NotFound />
  }
  if (!mayOpen(part)) {
    return <NoRight page={`${title}: ${part.label}`} rights={part.permissions ?? []} />
  }
  const tabs = Object.values(parts).filter(mayOpen)
  return <part.Content tabs={tabs.length > 1 && <PageTabs label={label} tabs={tabs} />} />
}
