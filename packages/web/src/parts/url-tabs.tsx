// Tabs whose choice is in the address.
import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { useSearchParameters } from '../core/use-search-params.ts'

export interface UrlTab {
  id: string
  label: string
  content: ReactNode
  /** Shown with what stands beside the panels. */
  hasAside?: boolean
}

/** The first tab has no name in the address. Other parts of the query belong to the tab that is left. */
export function UrlTabs({
  label,
  tabs,
  aside,
}: {
  label: string
  tabs: readonly UrlTab[]
  aside?: ReactNode
}) {
  const [search, setSearch] = useSearchParameters()
  const first = tabs[0]?.id ?? ''
  const chosen = tabs.find(({ id }) => id === search.get('tab'))?.id ?? first
  const hasAside = tabs.find(({ id }) => id === chosen)?.hasAside === true
  return (
    <Tabs
      className="tabs"
      selectedKey={chosen}
      onSelectionChange={(key) =>
        setSearch(new URLSearchParams(key === first ? {} : { tab: String(key) }), { isNewEntry: true })
      }
    >
      <div className="tab-bar">
        <TabList aria-label={label} className="tab-list">
          {tabs.map(({ id, label: name }) => (
            <Tab key={id} id={id} className="tab">
              {name}
            </Tab>
          ))}
        </TabList>
      </div>
      <div className={hasAside ? 'with-preview' : ''}>
        {tabs.map(({ id, content }) => (
          <TabPanel key={id} id={id} className="tab-panel">
            {content}
          </TabPanel>
        ))}
        {hasAside && aside}
      </div>
    </Tabs>
  )
}
