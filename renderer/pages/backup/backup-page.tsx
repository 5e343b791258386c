import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { serverQueries } from '../../api/server-queries.ts'
import { pageWithRight } from '../../components/no-right.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import card from '../../components/card-page.module.css'
import { CopiesSection } from './copies-section.tsx'
import { KeySection } from './key-section.tsx'
import { SettingsSection } from './settings-section.tsx'
import { StateSection } from './state-section.tsx'

function Sections() {
  const { can } = useSession()
  const query = useQuery(serverQueries.backup)
  const { data: backup } = query
  if (!backup) {
    return (
      <div className={card.wide}>
        <QueryState query={query} height={320} />
      </div>
    )
  }
  const mayChange = can('server.permissions.write')
  return (
    <>
      {!mayChange && <Text className={`muted ${card.wide}`}>{t.backup.readOnly}</Text>}
      <StateSection backup={backup} mayChange={mayChange} />
      <KeySection recoveryKey={backup.recoveryKey} mayChange={mayChange} />
      <SettingsSection settings={backup.settings} isOnDiskOfData={backup.isOnDiskOfData} mayChange={mayChange} />
      {backup.settings.folder !== null && <CopiesSection mayChange={mayChange} />}
    </>
  )
}

/** Page about copies of the server: their state, the recovery key, the schedule, and the way back. */
export const Component = pageWithRight(t.backup.title, ['server.telemetry.read'], () => (
  <>
    <PageHead title={t.backup.title} intro={t.backup.intro} />
    <div className={card.columns}>
      <Sections />
    </div>
  </>
))
