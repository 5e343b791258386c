import { Anchor, Modal, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { desktop } from '../api/desktop.ts'
import { serverQueries } from '../api/server-queries.ts'
import { invalidate } from '../api/query-client.ts'
import { QueryState } from '../components/query-state.tsx'
import * as t from '../texts.ts'
import { exactTime } from '../text/format.ts'
import { Fact } from '../components/fact.tsx'
import classes from './shell.module.css'

const desktopKey = ['desktop-info']

/** Setting of this computer, shown only in the desktop shell. */
function StartAtLogin() {
  const { data } = useQuery({
    queryKey: desktopKey,
    queryFn: () => desktop?.getDesktopInfo() ?? null,
    enabled: !!desktop,
  })
  const handleChange = async (startAtLogin: boolean) => {
    await desktop?.setStartAtLogin(startAtLogin)
    await invalidate(desktopKey)
  }
  return data ? (
    <Switch
      mt="md"
      label={t.about.startAtLogin}
      checked={data.startAtLogin}
      onChange={(event) => void handleChange(event.currentTarget.checked)}
    />
  ) : null
}

/** Version of the offered agent, and the release notes. */
function Versions() {
  const { data } = useQuery(serverQueries.versions)
  return (
    data && (
      <>
        <Fact label={t.about.version}>{data.server}</Fact>
        <Fact label={t.about.agent}>{data.agent ?? t.about.noAgent}</Fact>
        {data.releaseNotes !== null && (
          <>
            <Fact label={t.about.releaseNotes}>
              <pre className={classes.notes} tabIndex={0} aria-label={t.about.releaseNotes}>
                {data.releaseNotes}
              </pre>
            </Fact>
          </>
        )}
      </>
    )
  )
}

export function About({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const query = useQuery({ ...serverQueries.status, enabled: isOpen })
  const { data } = query
  return (
    <Modal opened={isOpen} onClose={onClose} title={t.about.title} size="lg">
      {(query.error || !data) && <QueryState query={query} height={104} />}
      {data && (
        <dl className={classes.facts}>
          <Versions />
          <Fact label={t.about.startedAt}>{exactTime(Date.parse(data.startedAt))}</Fact>
          <Fact label={t.about.secretStore}>{data.secretStore === 'keychain' ? t.about.keychain : t.about.file}</Fact>
          {data.dataDirectory !== null && (
            <>
              <Fact label={t.about.dataDirectory}>
                <code>{data.dataDirectory}</code>{' '}
                {desktop && (
                  <Anchor component="button" onClick={() => void desktop?.openDataFolder()}>
                    {t.about.openDataFolder}
                  </Anchor>
                )}
              </Fact>
            </>
          )}
        </dl>
      )}
      <StartAtLogin />
      <Anchor href="/licenses.txt" target="_blank" mt="md" display="block" w="fit-content">
        {t.about.licenses}
      </Anchor>
    </Modal>
  )
}
