// The JUnit file of a gate, checked by libxml2 against the schema of Ant's JUnit task, narrowed to
// the schema of Jenkins' xUnit plugin.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/gate_verdict.h"
#include "support/scratch_file.h"

namespace prescope::testing {
namespace {

constexpr const char* kSchema = R"(<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="name">
    <xs:restriction base="xs:token"><xs:minLength value="1"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="seconds_of_utc">
    <xs:restriction base="xs:dateTime">
      <xs:pattern value="[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="time">
    <xs:restriction base="xs:decimal">
      <xs:pattern value="[0-9]{0,3}(\.[0-9]*)?"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:complexType name="outcome">
    <xs:simpleContent>
      <xs:extension base="xs:string">
        <xs:attribute name="message" type="xs:string"/>
        <xs:attribute name="type" type="xs:string" use="required"/>
      </xs:extension>
    </xs:simpleContent>
  </xs:complexType>
  <xs:complexType name="skipped">
    <xs:simpleContent>
      <xs:extension base="xs:string">
        <xs:attribute name="message" type="xs:string"/>
      </xs:extension>
    </xs:simpleContent>
  </xs:complexType>
  <xs:complexType name="testcase">
    <xs:choice minOccurs="0">
      <xs:element name="skipped" type="skipped"/>
      <xs:element name="error" type="outcome"/>
      <xs:element name="failure" type="outcome"/>
    </xs:choice>
    <xs:attribute name="name" type="xs:token" use="required"/>
    <xs:attribute name="classname" type="xs:token" use="required"/>
    <xs:attribute name="time" type="time" use="required"/>
  </xs:complexType>
  <xs:complexType name="property">
    <xs:attribute name="name" type="name" use="required"/>
    <xs:attribute name="value" type="xs:string" use="required"/>
  </xs:complexType>
  <xs:complexType name="properties">
    <xs:sequence>
      <xs:element name="property" type="property" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence>
  </xs:complexType>
  <xs:complexType name="testsuite">
    <xs:sequence>
      <xs:element name="properties" type="properties"/>
      <xs:element name="testcase" type="testcase" minOccurs="0" maxOccurs="unbounded"/>
      <xs:element name="system-out" type="xs:string"/>
      <xs:element name="system-err" type="xs:string"/>
    </xs:sequence>
    <xs:attribute name="name" type="name" use="required"/>
    <xs:attribute name="package" type="xs:token" use="required"/>
    <xs:attribute name="id" type="xs:int" use="required"/>
    <xs:attribute name="timestamp" type="seconds_of_utc" use="required"/>
    <xs:attribute name="hostname" type="name" use="required"/>
    <xs:attribute name="tests" type="xs:int" use="required"/>
    <xs:attribute name="failures" type="xs:int" use="required"/>
    <xs:attribute name="errors" type="xs:int" use="required"/>
    <xs:attribute name="skipped" type="xs:int"/>
    <xs:attribute name="time" type="time" use="required"/>
  </xs:complexType>
  <xs:element name="testsuites">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="testsuite" type="testsuite" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence>
    </xs:complexType>
  </xs:element>
</xs:schema>
)";

class GateJunitSchema : public ::testing::Test {
 protected:
  GateJunitSchema() { folder_.write("junit.xsd", kSchema); }

  /// Returns the complaints of xmllint; empty if the document is valid.
  std::string problems(const std::string& document) const {
    folder_.write("gate.xml", document);
    const std::string command = "cd '" + folder_.path().string() +
                                "' && xmllint --noout --nonet --schema junit.xsd gate.xml 2> said";
    const bool is_valid = std::system(command.c_str()) == 0;
    return is_valid ? "" : "not valid: " + content_of(folder_.path() / "said");
  }

 private:
  ScratchFolder folder_;
};

TEST_F(GateJunitSchema, EveryKindOfVerdictIsValid) {
  EXPECT_EQ(problems(gate_junit(regression_report())), "");
  EXPECT_EQ(problems(gate_junit(sliced_report())), "");
  EXPECT_EQ(problems(gate_junit(bad_input_report())), "");
  EXPECT_EQ(problems(gate_junit(hostile_report())), "");
}

TEST_F(GateJunitSchema, RefusesAnInvalidDocument) {
  std::string document = gate_junit(regression_report());
  document.replace(document.find(" hostname=\"localhost\""), 21, "");
  EXPECT_NE(problems(document).find("hostname"), std::string::npos);
}

}  // namespace
}  // namespace prescope::testing
