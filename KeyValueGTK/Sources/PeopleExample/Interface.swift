// What GtkBuilder makes the window of.
let interface = """
  <interface>
    <object class="GtkWindow" id="window">
      <property name="title">People</property>
      <property name="default-width">640</property>
      <property name="default-height">400</property>
      <child><object class="GtkBox">
        <property name="orientation">vertical</property>
        <property name="spacing">8</property>
        <property name="margin-top">8</property><property name="margin-bottom">8</property>
        <property name="margin-start">8</property><property name="margin-end">8</property>
        <child><object class="GtkBox">
          <property name="spacing">8</property>
          <child><object class="GtkButton" id="add"><property name="label">Add</property></object></child>
          <child><object class="GtkButton" id="remove"><property name="label">Remove</property></object></child>
          <child><object class="GtkButton" id="undo"><property name="label">Undo</property></object></child>
          <child><object class="GtkButton" id="redo"><property name="label">Redo</property></object></child>
          <child><object class="GtkLabel" id="total">
            <property name="hexpand">1</property><property name="xalign">1</property>
          </object></child>
        </object></child>
        <child><object class="GtkScrolledWindow">
          <property name="vexpand">1</property>
          <child><object class="GtkColumnView" id="table">
            <property name="show-row-separators">1</property>
            <property name="model"><object class="GtkSingleSelection" id="selection">
              <property name="model"><object class="GtkSortListModel" id="sorted"/></property>
            </object></property>
            <child><object class="GtkColumnViewColumn">
              <property name="title">Name</property>
              <property name="expand">1</property>
              <property name="sorter"><object class="GtkStringSorter">
                <property name="expression"><lookup name="name" type="KvoPerson"/></property>
              </object></property>
              <property name="factory"><object class="GtkBuilderListItemFactory">
                <property name="bytes"><![CDATA[
                  <interface><template class="GtkListItem"><property name="child">
                    <object class="GtkLabel"><property name="xalign">0</property>
                      <binding name="label"><lookup name="name" type="KvoPerson">
                        <lookup name="item">GtkListItem</lookup></lookup></binding>
                    </object></property></template></interface>]]></property>
              </object></property>
            </object></child>
            <child><object class="GtkColumnViewColumn">
              <property name="title">Age</property>
              <property name="sorter"><object class="GtkNumericSorter">
                <property name="expression"><lookup name="age" type="KvoPerson"/></property>
              </object></property>
              <property name="factory"><object class="GtkBuilderListItemFactory">
                <property name="bytes"><![CDATA[
                  <interface><template class="GtkListItem"><property name="child">
                    <object class="GtkLabel"><property name="xalign">1</property>
                      <binding name="label"><lookup name="age" type="KvoPerson">
                        <lookup name="item">GtkListItem</lookup></lookup></binding>
                    </object></property></template></interface>]]></property>
              </object></property>
            </object></child>
            <child><object class="GtkColumnViewColumn">
              <property name="title">Balance</property>
              <property name="sorter"><object class="GtkNumericSorter">
                <property name="expression"><lookup name="balance" type="KvoPerson"/></property>
              </object></property>
              <property name="factory"><object class="GtkBuilderListItemFactory">
                <property name="bytes"><![CDATA[
                  <interface><template class="GtkListItem"><property name="child">
                    <object class="GtkLabel"><property name="xalign">1</property>
                      <binding name="label"><lookup name="amount" type="KvoPerson">
                        <lookup name="item">GtkListItem</lookup></lookup></binding>
                    </object></property></template></interface>]]></property>
              </object></property>
            </object></child>
          </object></child>
        </object></child>
        <child><object class="GtkBox" id="form">
          <property name="spacing">8</property>
          <child><object class="GtkEntry" id="name"><property name="hexpand">1</property></object></child>
          <child><object class="GtkEntry" id="age"/></child>
          <child><object class="GtkEntry" id="balance"/></child>
        </object></child>
      </object></child>
    </object>
  </interface>
  """
