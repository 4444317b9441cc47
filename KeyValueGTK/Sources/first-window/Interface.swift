// What GTK builds the window of. The page has it as XML.
let interface = """
  <interface>
    <object class="GtkWindow" id="window">
      <property name="title">People</property>
      <property name="default-width">480</property>
      <property name="default-height">320</property>
      <child><object class="GtkBox">
        <property name="orientation">vertical</property>
        <property name="spacing">8</property>
        <child><object class="GtkScrolledWindow">
          <property name="vexpand">1</property>
          <child><object class="GtkColumnView" id="table">
            <property name="model"><object class="GtkSingleSelection" id="selection">
              <property name="model"><object class="GtkSortListModel" id="sorted"/></property>
            </object></property>
            <child><object class="GtkColumnViewColumn">
              <property name="title">Name</property>
              <property name="expand">1</property>
              <property name="sorter"><object class="GtkStringSorter">
                <property name="expression"><lookup name="name" type="Person"/></property>
              </object></property>
              <property name="factory"><object class="GtkBuilderListItemFactory">
                <property name="bytes"><![CDATA[
                  <interface><template class="GtkListItem">
                    <property name="child"><object class="GtkLabel">
                      <binding name="label"><lookup name="name" type="Person">
                        <lookup name="item">GtkListItem</lookup>
                      </lookup></binding>
                    </object></property>
                  </template></interface>
                ]]></property>
              </object></property>
            </object></child>
            <child><object class="GtkColumnViewColumn">
              <property name="title">Age</property>
              <property name="sorter"><object class="GtkNumericSorter">
                <property name="expression"><lookup name="age" type="Person"/></property>
              </object></property>
              <property name="factory"><object class="GtkBuilderListItemFactory">
                <property name="bytes"><![CDATA[
                  <interface><template class="GtkListItem">
                    <property name="child"><object class="GtkLabel">
                      <binding name="label"><lookup name="age" type="Person">
                        <lookup name="item">GtkListItem</lookup>
                      </lookup></binding>
                    </object></property>
                  </template></interface>
                ]]></property>
              </object></property>
            </object></child>
          </object></child>
        </object></child>
        <child><object class="GtkBox" id="form">
          <property name="spacing">8</property>
          <child><object class="GtkEntry" id="name"><property name="hexpand">1</property></object></child>
          <child><object class="GtkEntry" id="age"/></child>
        </object></child>
        <child><object class="GtkLabel" id="average"/></child>
      </object></child>
    </object>
  </interface>
  """
